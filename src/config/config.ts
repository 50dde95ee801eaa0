import type { SmtpServer } from '../core/network/smtp-server.ts'
import type { OpenIdConfig } from './open-id-settings.ts'
import type { Provision } from './provision.ts'
import type { Configured } from './settings.ts'

export type DemoMode = Configured['demo']

/** Upstream credentials found in the environment under their vendors' usual names. */
export interface EnvironmentCredentials {
  readonly openai?: string
  readonly anthropic?: string
  readonly google?: string
}

/** One effective setting for display; secret text is masked. */
export interface SettingInForce {
  readonly name: string
  readonly text: string
  /** `default`, `tollgate.yaml:3`, `TOLLGATE_LISTEN` or `--listen`. */
  readonly source: string
}

export interface ConfigFile {
  /** As the operator wrote it. */
  readonly path: string
  /** Whether the file itself contains a secret, and not only the name of a variable. */
  readonly holdsSecrets: boolean
}

/** The complete, validated configuration. Frozen. `data` and the path of an embedded database are absolute. */
export interface Config extends Configured {
  /** Undefined when no identity provider is configured. */
  readonly openId: OpenIdConfig | undefined
  /** Undefined when no mail server is configured. */
  readonly smtp: SmtpServer | undefined
  readonly provision: Provision
  readonly environmentCredentials: EnvironmentCredentials
  readonly file: ConfigFile | undefined
  readonly inForce: readonly SettingInForce[]
}
