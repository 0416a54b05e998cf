// Of a recording with many thousand boundaries, the part that is at hand: fetched around what is looked at, before its edge comes into view.
const MOST = 8000; // boundaries by all together; a recording with fewer comes whole
const OPENING = 300; // seconds that are asked for before anything is known

export class TimeWindow {
  constructor(editor) {
    this.editor = editor;
    this.wide = OPENING;
    this.from = 0;
    this.loading = null;
  }

  // Whether there is more of the recording than is here.
  get partial() {
    return this.editor.data?.first !== undefined;
  }

  get range() {
    const { first = 0, last = this.editor.data.length } = this.editor.data;
    return [first, last];
  }

  rangeFrom(from) {
    return { first: from, last: from + this.wide, whole_up_to: MOST };
  }

  // What was fetched says how many boundaries there are, and so how much may be fetched at once.
  learn() {
    const { length, annotations } = this.editor.data;
    const all = annotations.reduce((sum, a) => sum + (a.marks.boundaries ?? 0), 0);
    if (this.partial && all) this.wide = Math.max(60, (MOST * length) / all);
  }

  holds(time) {
    const [first, last] = this.range;
    return time >= first && time <= last;
  }

  // Called with every frame: fetches what will be needed next.
  follow(from, to) {
    if (!this.partial || this.loading || to - from > 0.8 * this.wide) return;
    const [first, last] = this.range;
    const margin = Math.min((to - from) / 2 + 5, (this.wide - (to - from)) / 3);
    if ((from < first + margin && first > 0) || (to > last - margin && last < this.editor.data.length)) this.load((from + to) / 2).catch(() => {});
  }

  // Fetch the part around a time; changes that are under way are waited for, and what they made is fetched too.
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
