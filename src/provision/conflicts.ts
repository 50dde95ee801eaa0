import { ConfigProblem } from '../config/config-problem.ts'

/**
 * Receives what an entry of the file cannot have, because people have changed something in the console since. If the
 * function returns, that part of the entry is left out.
 */
export type OnConflict = (problem: string) => void

/** Whoever applies a document can correct it. */
export function refuseConflict(problem: string): never {
  throw new ConfigProblem(problem)
}
