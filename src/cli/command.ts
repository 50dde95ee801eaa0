import type { Config } from '../config/config.ts'
import type { Environment } from '../config/secret-reader.ts'
import type { RandomBytes } from '../core/id.ts'
import type { SendHttp } from '../gateway/outgoing-http.ts'

/** All that a command may reach for outside itself. */
export interface CliWorld {
  readonly stdout: (text: string) => void
  readonly stderr: (text: string) => void
  readonly env: Environment
  readonly cwd: string
  readonly isTty: boolean
  /** Asks whoever sits at the terminal, and answers their line; absent where nobody does. */
  readonly ask?: ((question: string) => Promise<string>) | undefined
  readonly version: string
  readonly nowMs: () => number
  readonly random: RandomBytes
  readonly send: SendHttp
  /** Runs the gateway until it is told to stop; answers the exit code. */
  readonly serve: (config: Config) => Promise<number>
}

export interface CommandOption {
  readonly kind: 'text' | 'list' | 'switch'
  /** What stands for the value in the help text; a switch has none. */
  readonly placeholder?: string
  readonly description: string
}

export interface CommandCall {
  readonly config: Config
  readonly world: CliWorld
  readonly positionals: readonly string[]
  text(option: string): string | undefined
  list(option: string): readonly string[] | undefined
  isOn(option: string): boolean
}

export interface Command {
  /** Such as `keys create`. */
  readonly name: string
  readonly summary: string
  /** Names of the positional arguments; those in brackets may be left out, and stand last. */
  readonly positionals: readonly string[]
  readonly options: Readonly<Record<string, CommandOption>>
  /** Answers the exit code. */
  readonly run: (call: CommandCall) => Promise<number>
}
