import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { ensurePrograms } from '../ensure-programs.ts'
import type { Options } from '../read-options.ts'
import { compareBuilds } from './compare-builds.ts'
import { buildOther, hasOtherPackages } from './other-build.ts'
import { printComparison } from './print-comparison.ts'

/**
 * Compares this build with another one and prints the ratios. The ratios have no goal: a change may be worth its cost.
 */
export async function runAgainst(
  options: Options,
  against: string,
  folder: string,
): Promise<number> {
  const { wrk } = ensurePrograms()
  console.log(`building ${against} …`)
  const other = buildOther(against, folder)
  if (hasOtherPackages(other)) {
    console.log(`${other.name} requires other packages; it is built with the installed ones`)
  }
  const own = { name: 'this', entry: options.entry }
  const compared = await compareBuilds({
    options,
    wrk,
    folder,
    own,
    other,
    tell: (text) => console.log(text),
  })
  printComparison(compared, other.name)
  if (options.jsonFile !== undefined) {
    const machine = { cores: cpus().length, cpu: cpus()[0]?.model, bun: Bun.version }
    const report = { at: new Date().toISOString(), machine, against: other.name, compared }
    writeFileSync(options.jsonFile, `${JSON.stringify(report, undefined, 2)}\n`)
  }
  return 0
}
