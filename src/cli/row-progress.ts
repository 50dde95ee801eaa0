import type { CliContext } from './command.ts'

const rowsBetween = 100_000

/** Reports on stderr how many rows of a long table are done. Short tables are not worth a line. */
export function rowProgress({ stderr }: Pick<CliContext, 'stderr'>) {
  let reported = 0
  let current = ''
  return (table: string, rows: number): void => {
    if (table !== current) reported = 0
    current = table
    if (rows - reported < rowsBetween) return
    reported = rows
    stderr(`${table}: ${rows} rows\n`)
  }
}
