import { parseArgs } from 'node:util'
import { stopWith } from '../bootstrap/stop-with.mjs'

/**
 * @typedef {object} Chosen
 * @property {readonly string[]} steps empty: all of them
 * @property {readonly string[]} filters paths of tests or sources, or words of a test's name
 * @property {string | undefined} names a pattern for the names of tests
 * @property {boolean} isWatching
 * @property {number | undefined} lanes
 */

const usage = `Usage: npm test -- [STEP …] [FILTER …] [--name PATTERN] [--watch] [--lanes N]
  npm test                               everything
  npm test -- unit src/ledger            the unit tests of one part of the sources
  npm test -- scenario messages          files and tests of a suite whose path or name has the word
  npm test -- types unit --watch         again after every change`

/**
 * A word that names a step selects the step. Any other word is a filter, which needs a suite to apply to.
 * @param {readonly string[]} argv
 * @param {readonly string[]} steps the names of all steps
 * @returns {Chosen}
 */
export function readArguments(argv, steps) {
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        name: { type: 'string', short: 't' },
        watch: { type: 'boolean', default: false },
        lanes: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
    if (values.help) {
      process.stdout.write(`${usage}\n\nSteps: ${steps.join(', ')}\n`)
      process.exit(0)
    }
    const lanes = values.lanes === undefined ? undefined : Number(values.lanes)
    if (lanes !== undefined && !(Number.isInteger(lanes) && lanes > 0)) {
      throw new Error('--lanes takes a whole number of 1 or more')
    }
    return {
      steps: positionals.filter((word) => steps.includes(word)),
      filters: positionals.filter((word) => !steps.includes(word)),
      names: values.name,
      isWatching: values.watch,
      lanes,
    }
  } catch (error) {
    stopWith(`${error instanceof Error ? error.message : String(error)}\n${usage}`)
  }
}
