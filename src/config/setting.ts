import type { z } from 'zod'
import { masked } from '../core/secret-hint.ts'

/** What a setting takes. */
export interface SettingKind<Value> {
  /** What stands for the value in help texts, such as `HOST:PORT`. */
  readonly placeholder: string
  /** Takes text, or in the file also numbers and lists. Its messages read on from the setting's name. */
  readonly written: z.ZodType<Value>
  /** The words and limits of its values; its row in the documentation must name them. */
  readonly told?: readonly string[]
}

interface SettingOptions {
  /** One line for help texts. */
  readonly about: string
  /** As it would be written; absent when the setting is absent by default. */
  readonly byDefault?: string | undefined
  /** What the configuration calls the value, where it is not the setting's name. Null: it is part of another value. */
  readonly member?: string | null
  /** How a value with something secret in it is shown to people. */
  readonly mask?: (text: string) => string
  /** Never shown, and may be written as env:NAME in the file. */
  readonly isSecret?: true
}

/** One thing that can be configured. What it is called in the file is its name in the list of settings. */
interface DefinedSetting<Value> extends SettingOptions {
  readonly kind: SettingKind<Value>
}

export function setting<Value, const Options extends SettingOptions>(
  kind: SettingKind<Value>,
  options: Options,
): { readonly kind: SettingKind<Value> } & Options {
  return { kind, ...options }
}

/** One setting with all that loader, help text and documentation must know about it. */
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

/** The values by the names that the configuration has for them. What has no default may be absent. */
export type SettingValues<Of extends DefinedSettings> = {
  readonly [Name in keyof Of as MemberOf<Name, Of[Name]>]:
    | ValueOf<Of[Name]>
    | (Of[Name] extends { readonly byDefault: string } ? never : undefined)
}

/** Variable and flag are the words of the name. */
export function nameSettings<const Of extends DefinedSettings>(defined: Of): NamedSettings<Of> {
  const named = Object.entries(defined).map(([name, each]): [string, Setting<unknown>] => {
    const flag = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    const variable = `${ownPrefix}${flag.replaceAll('-', '_').toUpperCase()}`
    const { placeholder } = each.kind
    const mask = each.isSecret ? { mask: () => masked } : {}
    return [name, { byDefault: undefined, ...each, ...mask, name, variable, flag, placeholder }]
  })
  return Object.fromEntries(named) as NamedSettings<Of>
}

/** What the names of all variables of the gateway begin with. */
export const ownPrefix = 'TOLLGATE_'
