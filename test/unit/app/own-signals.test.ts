import { expect, test } from 'bun:test'
import { ownSignals, type StopSignal } from '../../../src/app/stop/stop-signals.ts'

test.each([
  { isTty: false, rereads: 1, ends: 'pending' },
  { isTty: true, rereads: 0, ends: 'SIGHUP' },
])(
  'SIGHUP at a terminal ($isTty) reads secrets again or stops',
  async ({ isTty, rereads, ends }) => {
    let tell: (signal: StopSignal) => void = () => undefined
    const { signals, onReread } = ownSignals((listener) => {
      tell = listener
    }, isTty)
    // Before the gateway serves, there are no secrets to read again.
    if (!isTty) tell('SIGHUP')
    let count = 0
    onReread(() => {
      count += 1
    })
    tell('SIGHUP')
    expect(count).toBe(rereads)
    expect(await Promise.race([signals.first, Promise.resolve('pending')])).toBe(ends)
    tell('SIGTERM')
    expect(await signals.first).toBe(isTty ? 'SIGHUP' : 'SIGTERM')
  },
)
