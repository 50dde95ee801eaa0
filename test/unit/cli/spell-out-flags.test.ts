import { expect, test } from 'bun:test'
import { spellOutFlags } from '../../../src/cli/spell-out-flags.ts'

test.each([
  [['--demo'], ['--demo=on']],
  [
    ['--demo', '--listen', '127.0.0.1:0'],
    ['--demo=on', '--listen', '127.0.0.1:0'],
  ],
  [
    ['--demo', 'off'],
    ['--demo', 'off'],
  ],
  [['--demo=auto'], ['--demo=auto']],
  [['--listen'], ['--listen']],
])('%p means %p', (typed, meant) => {
  expect(spellOutFlags(typed)).toEqual(meant)
})
