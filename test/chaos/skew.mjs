/** Loaded before a worker and its slots: their wall clock is wrong by so much. The monotonic clock is right, as on a real machine. */
const shiftMs = Number(process.env.DARKROOM_CHAOS_SKEW_MS);
const RealDate = Date;

globalThis.Date = class extends RealDate {
  constructor(...given) {
    super(...(given.length === 0 ? [RealDate.now() + shiftMs] : given));
  }

  static now() {
    return RealDate.now() + shiftMs;
  }
};
