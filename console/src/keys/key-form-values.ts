import { plainDollars } from '../../../src/console-api/contract/figures.ts'
import { nanoOfDollars } from '../../../src/console-api/contract/rules.ts'
import type { KeyRow, KeySettings, Priority } from '../../../src/console-api/contract.ts'
import type { Definition } from '../../../src/fields/definition.ts'
import { keyDefinition } from '../../../src/keys/definition/key.ts'
import { type TypedFields, typedOf, wireOfFields } from '../parts/forms/typed-fields.ts'

/** Fields for which the form has its own editors. All others get the standard editor. */
const own = [
  'ownerId',
  'name',
  'groups',
  'models',
  'quotaNano',
  'expiresAt',
  'addresses',
  'modelLimits',
  'priority',
  'isEnabled',
  'isLocked',
] as const
type OwnField = Exclude<(typeof own)[number], 'ownerId' | 'isLocked' | 'priority'>
export const ownFields: readonly string[] = own

export type ExpiryChoice = 'never' | '30' | '90' | '365' | 'custom'

/** The form's values. A disabled restriction keeps its value, so that enabling it again restores the value. */
export interface KeyFormValues {
  readonly name: string
  readonly groupMode: 'one' | 'order'
  readonly group: string
  readonly order: readonly string[]
  readonly isRestricted: boolean
  readonly models: readonly string[]
  readonly isLimited: boolean
  readonly quota: string
  readonly expiry: ExpiryChoice
  /** In the format of the date field, in local time: `2026-11-15 12:00:00`. */
  readonly expiresAt: string
  readonly isFenced: boolean
  readonly addresses: readonly string[]
  readonly modelLimits: KeySettings['modelLimits']
  /** Empty: the priority of the group. Undefined where the form does not offer it. */
  readonly priority: Priority | '' | undefined
  readonly isEnabled: boolean
  /** Undefined where the form does not offer the lock: the key keeps the one it has. */
  readonly isLocked: boolean | undefined
  readonly others: TypedFields
}

export function emptyKey(
  groups: readonly string[],
  definition: Definition = keyDefinition,
  mayRank = false,
): KeyFormValues {
  return {
    name: '',
    groupMode: 'one',
    group: groups[0] ?? '',
    order: [...groups],
    isRestricted: false,
    models: [],
    isLimited: false,
    quota: '',
    expiry: 'never',
    expiresAt: '',
    isFenced: false,
    addresses: [],
    modelLimits: [],
    priority: mayRank ? '' : undefined,
    isEnabled: keyDefinition.fields.isEnabled.initial,
    isLocked: undefined,
    others: typedOf(definition, own, undefined),
  }
}

export function valuesOf(
  key: KeyRow,
  groups: readonly string[],
  definition: Definition = keyDefinition,
  { mayLock = false, mayRank = false }: { mayLock?: boolean; mayRank?: boolean } = {},
): KeyFormValues {
  return {
    name: key.name,
    groupMode: key.groups.length > 1 ? 'order' : 'one',
    group: key.groups[0] ?? groups[0] ?? '',
    order: key.groups.length > 1 ? key.groups : [...groups],
    isRestricted: key.models !== null,
    models: key.models ?? [],
    isLimited: key.quotaNano !== null,
    quota: key.quotaNano === null ? '' : plainDollars(key.quotaNano),
    expiry: key.expiresAt === null ? 'never' : 'custom',
    expiresAt: key.expiresAt === null ? '' : localText(key.expiresAt),
    isFenced: key.addresses !== null,
    addresses: key.addresses ?? [],
    modelLimits: key.modelLimits,
    priority: mayRank ? (key.priority ?? '') : undefined,
    isEnabled: key.isEnabled,
    // Settings that an owner changes on another user's key are locked by default.
    isLocked: mayLock ? true : undefined,
    others: typedOf(definition, own, { ...key }),
  }
}

const dayMs = 86_400_000

export function expiryOf(
  values: Pick<KeyFormValues, 'expiry' | 'expiresAt'>,
  nowMs: number,
): number | null {
  if (values.expiry === 'never') return null
  if (values.expiry !== 'custom') return nowMs + Number(values.expiry) * dayMs
  return values.expiresAt === ''
    ? Number.NaN
    : new Date(values.expiresAt.replace(' ', 'T')).getTime()
}

export function settingsOf(
  values: KeyFormValues,
  nowMs: number,
  definition: Definition = keyDefinition,
): KeySettings {
  const ownSettings: Pick<KeySettings, OwnField> = {
    name: values.name.trim(),
    groups: values.groupMode === 'one' ? [values.group] : values.order,
    models: values.isRestricted ? values.models : null,
    quotaNano: values.isLimited ? (nanoOfDollars(values.quota) ?? null) : null,
    expiresAt: expiryOf(values, nowMs),
    addresses: values.isFenced ? values.addresses : null,
    modelLimits: values.modelLimits,
    isEnabled: values.isEnabled,
  }
  const lock = values.isLocked === undefined ? {} : { isLocked: values.isLocked }
  const rank = values.priority === undefined ? {} : { priority: values.priority || null }
  const others = wireOfFields(definition, own, values.others) as Omit<KeySettings, OwnField>
  return { ...ownSettings, ...lock, ...rank, ...others }
}

function localText(atMs: number): string {
  const at = new Date(atMs)
  const two = (value: number) => String(value).padStart(2, '0')
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`
}
