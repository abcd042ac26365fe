/** Loaded before a program: its wall clock is off by WEAVE_TEST_SHIFT_MS, and jumps to the other side every two seconds. */
const shift = Number(process.env['WEAVE_TEST_SHIFT_MS'] ?? 0)
const RealDate = Date
const off = () => (Math.floor(performance.now() / 2_000) % 2 === 0 ? shift : -shift)
globalThis.Date = class extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(RealDate.now() + off())
    else super(...given)
  }

  static now() {
    return RealDate.now() + off()
  }
}
