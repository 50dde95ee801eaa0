/* Preloaded into a gateway: its machine's clock is wrong by so much. The database keeps its own. */
const shiftMs = Number(process.env['TEST_CLOCK_SHIFT_MS'] ?? 0)
const realNow = Date.now
Date.now = () => realNow() + shiftMs
