import type { z } from 'zod'
import { dashedName } from '../core/text/dashed-name.ts'
import { masked } from '../core/text/secret-hint.ts'

/** The type of a setting. */
export interface SettingKind<Value> {
  /** The placeholder of the value in help texts, such as `HOST:PORT`. */
  readonly placeholder: string
  /**
   * Accepts text and, in the file, also numbers and lists. Its messages continue the sentence after the setting's name.
   */
  readonly written: z.ZodType<Value>
  /** The allowed values and limits. The setting's row in the documentation must name them. */
  readonly documented?: readonly string[]
}

interface SettingOptions {
  /** One line for help texts. */
  readonly about: string
  /** In written form; absent when the setting has no default. */
  readonly byDefault?: string | undefined
  /**
   * The member of the configuration, if its name differs from the setting's. Null: the value is part of another member.
   */
  readonly member?: string | null
  /** How to display a value that contains a secret. Such a value may be written as a reference. */
  readonly mask?: (text: string) => string
  /** Never displayed. May be written as a reference. */
  readonly isSecret?: true
}

/** One setting. Its name in the file is its name in the list of settings. */
interface DefinedSetting<Value> extends SettingOptions {
  readonly kind: SettingKind<Value>
}

export function setting<Value, const Options extends SettingOptions>(
  kind: SettingKind<Value>,
  options: Options,
): { readonly kind: SettingKind<Value> } & Options {
  return { kind, ...options }
}

/** One setting with everything that the loader, the help text and the documentation need. */
export interface Setting<Value> extends DefinedSetting<Value> {
  /** In the file. */
  readonly name: string
  /** As an environment variable. */
  readonly variable: string
  /** As a flag, without its dashes. */
  readonly flag: string
  readonly placeholder: string
  readonly byDefault: string | undefined
}

// biome-ignore lint/suspicious/noExplicitAny: the values differ from setting to setting; the mapped types below know them.
type DefinedSettings = Readonly<Record<string, DefinedSetting<any>>>
type ValueOf<Of> = Of extends { readonly kind: SettingKind<infer Value> } ? Value : never
type MemberOf<Name, Of> = Of extends { readonly member: infer Member } ? Member & string : Name

export type NamedSettings<Of extends DefinedSettings> = {
  readonly [Name in keyof Of]: Setting<ValueOf<Of[Name]>>
}

/** The values by their names in the configuration. A value without a default may be absent. */
export type SettingValues<Of extends DefinedSettings> = {
  readonly [Name in keyof Of as MemberOf<Name, Of[Name]>]:
    | ValueOf<Of[Name]>
    | (Of[Name] extends { readonly byDefault: string } ? never : undefined)
}

/** Derives the variable and the flag from the words of the name. */
export function nameSettings<const Of extends DefinedSettings>(defined: Of): NamedSettings<Of> {
  const named = Object.entries(defined).map(([name, each]): [string, Setting<unknown>] => {
    const flag = dashedName(name)
    const variable = `${ownPrefix}${flag.replaceAll('-', '_').toUpperCase()}`
    const { placeholder } = each.kind
    const mask = each.isSecret ? { mask: () => masked } : {}
    return [name, { byDefault: undefined, ...each, ...mask, name, variable, flag, placeholder }]
  })
  return Object.fromEntries(named) as NamedSettings<Of>
}

/** The prefix of all variables of the gateway. */
export const ownPrefix = 'TOLLGATE_'
