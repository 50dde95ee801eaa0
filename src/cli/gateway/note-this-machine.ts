import { urlVariable } from '../../config/remote-variables.ts'
import type { CliContext } from '../command.ts'

/** For commands that read or change all data and work only on this machine, where the environment names another one. */
export function noteThisMachine({ env, stderr }: CliContext): void {
  if (!env[urlVariable]) return
  stderr(
    `tollgate: This command works on this machine, not on the gateway that ${urlVariable} names.\n`,
  )
}
