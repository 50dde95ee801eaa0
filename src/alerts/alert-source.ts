import { sql } from 'kysely'
import type { Nano } from '../core/money/money.ts'
import type { Engine } from '../store/engine.ts'
import type { StoredAlert } from './alert-store.ts'
import type { AlertKind } from './definition/alert.ts'

/** A condition that holds now. */
export interface Crossing {
  /** The id of an account, key, user, upstream or credential. */
  readonly subject: string
  /**
   * Names the condition, if a subject can have several one after another. The gateway sends at most one message until
   * the condition is over. By default the subject.
   */
  readonly name?: string
  /** Keeps a condition that was reported from being over, but is not reported itself. */
  readonly isSilent?: boolean
  /** Null for a condition of the whole gateway. */
  readonly accountId: string | null
  /** For the texts, by name; see `alert-texts.ts`. */
  readonly values: Readonly<Record<string, string>>
  /** Amounts for the texts, which are measured: a sentence has them rounded. */
  readonly amounts?: Readonly<Record<string, Nano>>
  /** Amounts for the texts, which a person has set: a sentence has every digit. */
  readonly limits?: Readonly<Record<string, Nano>>
  /** Moments for the texts. */
  readonly times?: Readonly<Record<string, number>>
  /** Which text of the kind is meant, if there are several. */
  readonly variant?: 'total' | 'ended'
}

/** Conditions that began at once. */
export type Crossings = readonly [Crossing, ...Crossing[]]

/** The name of a condition. */
export function nameOf({ subject, name = subject }: Crossing): string {
  return name
}

/** How amounts and moments are written. */
export interface ValueWriter {
  amount(nano: Nano): string
  limit(nano: Nano): string
  time(ms: number): string
}

/** All values as text: for a sentence, or for programs. */
export function writtenValues(
  { values, amounts = {}, limits = {}, times = {} }: Crossing,
  writer: ValueWriter,
): Readonly<Record<string, string>> {
  const texts: Record<string, string> = { ...values }
  for (const [name, nano] of Object.entries(amounts)) texts[name] = writer.amount(nano)
  for (const [name, nano] of Object.entries(limits)) texts[name] = writer.limit(nano)
  for (const [name, ms] of Object.entries(times)) texts[name] = writer.time(ms)
  return texts
}

/**
 * Finds all conditions of one kind that an alert asks for. Another source is one file, its line in `alert-sources.ts`,
 * its kind in `definition/alert.ts`, and its texts.
 */
export interface AlertSource {
  readonly kind: AlertKind
  /**
   * The kinds of the rows in `alert_crossing`, if there are several. A former version deletes the rows of its own kind
   * that it does not find, and the condition would be reported again and again while both versions run.
   */
  readonly storedAs?: readonly string[]
  /** Names a row that cannot be read with `omit`, instead of failing because of it. */
  find(
    db: Engine['db'],
    alert: StoredAlert,
    nowMs: number,
    omit: OmitRow,
  ): Promise<readonly Crossing[]>
}

/** `mayHold` tells by their names which conditions may hold although they are not found. */
export type OmitRow = (error: unknown, mayHold: (name: string) => boolean) => void

/** The kinds of the rows in `alert_crossing`. */
export function storedKinds({ kind, storedAs = [kind] }: AlertSource): readonly string[] {
  return storedAs
}

/** Whether the account `a` of a query serves requests. */
export function isInUse(nowMs: number) {
  return sql<boolean>`a.status = 'active' AND (a.ends_at IS NULL OR a.ends_at > ${nowMs})`
}

/** Conditions that one source reports for one alert. More than this says nothing new. */
export const crossingsMax = 10_000
