import { findUrl } from '../app/start/last-url.ts'
import type { CommandCall } from './command.ts'
import { UsageProblem } from './usage-problem.ts'

/** Where people reach the gateway. The host that received a call may be another one, or none on this machine. */
export function reachableUrl(call: CommandCall): string {
  const url = call.remote?.url ?? findUrl(call.config)
  if (url !== undefined) return url
  throw new UsageProblem(
    'With port 0 this command does not know the address of the gateway; name it with --listen.',
  )
}
