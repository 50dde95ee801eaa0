import type { OpenIdConfig } from './open-id-settings.ts'
import type { Provision } from './provision.ts'
import type { Configured } from './settings.ts'

export type DemoMode = Configured['demo']

/** Upstream credentials that stand in the environment under their vendors' usual names. */
export interface EnvironmentCredentials {
  readonly openai?: string
  readonly anthropic?: string
  readonly google?: string
}

/** One setting as it is in force, for people: its text is masked where it is secret. */
export interface SettingInForce {
  readonly name: string
  readonly text: string
  /** `default`, `tollgate.yaml:3`, `TOLLGATE_LISTEN` or `--listen`. */
  readonly source: string
}

export interface ConfigFile {
  /** As the operator wrote it. */
  readonly path: string
  /** Whether a secret stands in the file itself and not in a variable that it names. */
  readonly holdsSecrets: boolean
}

/**
 * Everything that can be configured, checked, with nothing left to look up. Frozen. `data` is an absolute path, and that
 * of an embedded database too.
 */
export interface Config extends Configured {
  /** Undefined: nobody signs in with an identity provider. */
  readonly openId: OpenIdConfig | undefined
  readonly provision: Provision
  readonly environmentCredentials: EnvironmentCredentials
  readonly file: ConfigFile | undefined
  readonly inForce: readonly SettingInForce[]
}
