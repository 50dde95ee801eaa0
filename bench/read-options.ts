import { parseArgs } from 'node:util'
import { type ScenarioName, scenarioNames } from './scenario.ts'

export interface Options {
  readonly scenarios: readonly ScenarioName[]
  readonly rounds: number
  readonly warmUpMs: number
  readonly windowMs: number
  readonly entry: string
  readonly jsonFile: string | undefined
}

// A just-in-time compiler needs some seconds of load before it has compiled what is hot.
const warmUpMs = 4000

export const usageText = `usage: npm run bench -- [--quick] [--json FILE] [--entry FILE] [names]
names: ${scenarioNames.join(' ')} (all of them when none is given)
--quick   one short round of each, about two minutes, instead of three, about six
--json    also writes the figures to FILE
--entry   the gateway's entry file, to measure another build of it (default build/main.js)`

export function readOptions(args: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      json: { type: 'string' },
      entry: { type: 'string', default: `${import.meta.dir}/../build/main.js` },
    },
  })
  const chosen = positionals.map((given) => {
    const name = scenarioNames.find((known) => known === given)
    if (name === undefined) throw new Error(`there is no scenario '${given}'`)
    return name
  })
  return {
    scenarios: chosen.length > 0 ? chosen : scenarioNames,
    rounds: values.quick ? 1 : 3,
    warmUpMs,
    windowMs: values.quick ? 2500 : 4000,
    entry: values.entry,
    jsonFile: values.json,
  }
}
