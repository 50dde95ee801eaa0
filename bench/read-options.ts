import { parseArgs } from 'node:util'
import { againstCases } from './against/cases.ts'
import { type ScenarioName, scenarioNames } from './scenario.ts'

export interface Options {
  readonly scenarios: readonly ScenarioName[]
  readonly rounds: number
  readonly warmUpMs: number
  readonly windowMs: number
  readonly entry: string
  readonly jsonFile: string | undefined
  /** A commit or a folder whose build is compared with this one, instead of the scenarios. */
  readonly against: string | undefined
  /** The cases of such a comparison, and the number of window pairs for each in a round. */
  readonly cases: readonly string[]
  readonly pairs: number
}

// A just-in-time compiler needs some seconds of load to compile the hot code.
const warmUpMs = 4000
const roundsMax = 100
const caseNames = againstCases.map(({ name }) => name)

export const usageText = `usage: npm run bench -- [--quick] [--json FILE] [--entry FILE] [--rounds N] [names]
       npm run bench -- --against COMMIT|FOLDER [--quick] [--json FILE] [--entry FILE] [--rounds N] [cases]
names: ${scenarioNames.join(' ')} (all of them when none is given)
--quick   one short round of each, about two minutes, instead of three, about six
--json    also writes the figures to FILE
--entry   the gateway's entry file, to measure another build of it (default build/main.js)
--rounds  how many rounds (default 3, with --quick 1)
--against builds another commit, or the checkout in a folder, and measures both builds in turn: the gateway's CPU
          time of a request, as ratios; about nine minutes, with --quick one and a half
cases:    ${caseNames.join(' ')} (all of them when none is given)`

export function readOptions(args: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      json: { type: 'string' },
      rounds: { type: 'string' },
      against: { type: 'string' },
      entry: { type: 'string', default: `${import.meta.dir}/../build/main.js` },
    },
  })
  const isComparison = values.against !== undefined
  return {
    scenarios: isComparison ? [] : chosen(positionals, scenarioNames, 'scenario'),
    rounds: values.rounds === undefined ? (values.quick ? 1 : 3) : readRounds(values.rounds),
    warmUpMs,
    windowMs: values.quick ? 2500 : 4000,
    entry: values.entry,
    jsonFile: values.json,
    against: values.against,
    cases: isComparison ? chosen(positionals, caseNames, 'case') : [],
    pairs: values.quick ? 2 : 6,
  }
}

function chosen<Name extends string>(
  given: readonly string[],
  known: readonly Name[],
  what: string,
): readonly Name[] {
  if (given.length === 0) return known
  return given.map((text) => {
    const name = known.find((each) => each === text)
    if (name === undefined) throw new Error(`there is no ${what} '${text}'`)
    return name
  })
}

function readRounds(text: string): number {
  const rounds = Number(text)
  if (!Number.isInteger(rounds) || rounds < 1 || rounds > roundsMax) {
    throw new Error(`--rounds is a whole number from 1 to ${roundsMax}, not '${text}'`)
  }
  return rounds
}
