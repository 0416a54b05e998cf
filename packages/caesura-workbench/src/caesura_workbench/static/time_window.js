// The loaded part of a recording with many boundaries; more is fetched before its edge comes into view.
const MAX_BOUNDARIES = 8000; // boundaries of all coders; recordings with fewer are fetched whole
const INITIAL_SECONDS = 300; // seconds of the first request

export class TimeWindow {
  constructor(editor) {
    this.editor = editor;
    this.wide = INITIAL_SECONDS;
    this.from = 0;
    this.loading = null;
  }

  // Whether only a part of the recording is loaded.
  get partial() {
    return this.editor.data?.first !== undefined;
  }

  get range() {
    const { first = 0, last = this.editor.data.length } = this.editor.data;
    return [first, last];
  }

  rangeFrom(from) {
    return { first: from, last: from + this.wide, whole_up_to: MAX_BOUNDARIES };
  }

  // Choose the length to fetch at once from the number of boundaries.
  learn() {
    const { length, annotations } = this.editor.data;
    const all = annotations.reduce((sum, a) => sum + (a.marks.boundaries ?? 0), 0);
    if (this.partial && all) this.wide = Math.max(60, (MAX_BOUNDARIES * length) / all);
  }

  holds(time) {
    const [first, last] = this.range;
    return time >= first && time <= last;
  }

  // Called with every frame: fetch what will be needed next.
  follow(from, to) {
    if (!this.partial || this.loading || to - from > 0.8 * this.wide) return;
    const [first, last] = this.range;
    const margin = Math.min((to - from) / 2 + 5, (this.wide - (to - from)) / 3);
    if ((from < first + margin && first > 0) || (to > last - margin && last < this.editor.data.length)) this.load((from + to) / 2).catch(() => {});
  }

  // Fetch the part around a time, after changes under way have been saved.
  load(around) {
    const { editor } = this;
    this.loading ??= (async () => {
      try {
        this.from = Math.max(0, Math.min(around - this.wide / 2, editor.data.length - this.wide));
        let before;
        let data;
        do {
          before = editor.queue;
          await before;
          data = await editor.reload(this.from);
        } while (editor.queue !== before);
        editor.rebind(data);
      } finally {
        this.loading = null;
      }
    })();
    return this.loading;
  }

  async reach(time) {
    if (this.loading) await this.loading;
    if (!this.holds(time)) await this.load(time);
  }
}
