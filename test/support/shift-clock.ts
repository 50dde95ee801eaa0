/* Preloaded into a gateway to shift the clock of its machine. The database keeps its own clock. */
const shiftMs = Number(process.env['TEST_CLOCK_SHIFT_MS'] ?? 0)
const realNow = Date.now
Date.now = () => realNow() + shiftMs
