import type { Config } from '../config/config.ts'
import type { Environment } from '../config/secret-reader.ts'
import type { RandomBytes } from '../core/id.ts'
import type { SendHttp } from '../http-out/outgoing-http.ts'
import type { RemoteTarget } from './gateway/read-target.ts'

/** All that a command may reach for outside itself. */
export interface CliWorld {
  readonly stdout: (text: string) => void
  readonly stderr: (text: string) => void
  readonly env: Environment
  readonly cwd: string
  readonly isTty: boolean
  /** All that comes on standard input; absent where nothing does. */
  readonly readInput?: (() => Promise<string>) | undefined
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
  /** Of this machine; not read before somebody asks for it when the gateway is elsewhere. */
  readonly config: Config
  /** What the config file provisions, in its own words. */
  provision(): Readonly<Record<string, unknown>>
  /** The gateway elsewhere that is meant; undefined: that of this machine. */
  readonly remote: RemoteTarget | undefined
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
  /** Why it cannot be about a gateway elsewhere, as one sentence; absent: it can. */
  readonly onlyHere?: string
  /** Whether it reads the config file of this machine also when the gateway is elsewhere. */
  readonly readsConfig?: true
  /** Answers the exit code. */
  readonly run: (call: CommandCall) => Promise<number>
}
