import type { Config } from '../config/config.ts'
import type { OpenConfig, ReferencedSecrets } from '../config/referenced-secrets.ts'
import type { Environment } from '../config/secret-reader.ts'
import type { RandomBytes } from '../core/id.ts'
import type { SendHttp } from '../http-out/outgoing-http.ts'
import type { RemoteTarget } from './gateway/remote-target.ts'

/** Everything that a command may use outside itself. */
export interface CliContext {
  readonly stdout: (text: string) => void
  readonly stderr: (text: string) => void
  readonly env: Environment
  readonly cwd: string
  readonly isTty: boolean
  /** Reads all of standard input; absent without standard input. */
  readonly readInput?: (() => Promise<string>) | undefined
  /** Asks the person at the terminal and returns the typed line; absent without a terminal. */
  readonly ask?: ((question: string) => Promise<string>) | undefined
  readonly version: string
  readonly nowMs: () => number
  readonly random: RandomBytes
  readonly send: SendHttp
  /** Runs the gateway until it receives a signal to stop; returns the exit code. */
  readonly serve: (open: OpenConfig) => Promise<number>
}

export interface CommandOption {
  readonly kind: 'text' | 'list' | 'switch'
  /** The placeholder of the value in the help text; absent for a switch. */
  readonly placeholder?: string
  readonly description: string
  /** The flag whose value is in the file that this option names, or in standard input. */
  readonly contentOf?: string
}

export interface CommandCall {
  /** The configuration of this machine. For a remote gateway it is read only on demand. */
  readonly config: Config
  /** The secrets of the configuration that can be read again. */
  readonly secrets: ReferencedSecrets
  /** The objects that the config file provisions, as the file writes them. */
  provision(): Readonly<Record<string, unknown>>
  /** The remote gateway that the command addresses; undefined for this machine. */
  readonly remote: RemoteTarget | undefined
  readonly context: CliContext
  readonly positionals: readonly string[]
  text(option: string): string | undefined
  list(option: string): readonly string[] | undefined
  isOn(option: string): boolean
}

export interface Command {
  /** Such as `keys create`. */
  readonly name: string
  readonly summary: string
  /** The arguments of a usual call, for the help. */
  readonly example?: string
  /** Names of the positional arguments. Those in brackets are optional and come last. */
  readonly positionals: readonly string[]
  readonly options: Readonly<Record<string, CommandOption>>
  /** Why the command does not work with a remote gateway, as one sentence; absent if it does. */
  readonly onlyHere?: string
  /** Whether the command reads the config file of this machine even for a remote gateway. */
  readonly readsConfig?: true
  /** Returns the exit code. */
  readonly run: (call: CommandCall) => Promise<number>
}
