// Words for the kinds of annotations.
import { t } from "./strings.js";

/** Kinds of annotations that are measured and written separately. */
export const SORTS = { units: t("texts"), "typed units": t("texts with types"), time: t("recordings"), "typed time": t("recordings with types"), nested: t("nested segments"), spans: t("spans"), "spans in time": t("spans of recordings") };
