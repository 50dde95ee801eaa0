import { deliveryText } from '../core/delivery-problem.ts'
import type { RandomBytes } from '../core/id.ts'
import { enqueue, noteSent } from '../outbox/outbox-store.ts'
import { type Writing, write } from '../store/changes/write.ts'
import type { Engine } from '../store/engine.ts'
import type { Vault } from '../store/secrets/vault.ts'
import { type AlertSource, type Crossing, type Crossings, nameOf } from './alert-source.ts'
import { readAlert, type StoredAlert } from './alert-store.ts'
import { compose } from './compose.ts'
import { addCrossings, findCrossed } from './crossing-rows.ts'
import type { AlertKind } from './definition/alert.ts'
import { groupLimits } from './group-texts.ts'
import { conditionData } from './hook-body.ts'
import { messageText } from './message-text.ts'

export interface ReportDeps {
  readonly engine: Engine
  readonly vault: Vault
  readonly random: RandomBytes
  readonly nowMs: number
  /** The setting `publicUrl`. Without it, messages have no link. */
  readonly publicUrl?: string | undefined
}

/** One kind of one alert. */
export interface Check {
  readonly alert: StoredAlert
  readonly source: AlertSource
  /** True once the time of the check is over. */
  isLate: boolean
}

export interface CheckReport {
  readonly crossed: number
  readonly dropped: number
  readonly errors: readonly unknown[]
}

/** Conditions that began at once are one message. A condition that has no text stops no other. */
export async function reportAll(
  deps: ReportDeps,
  check: Check,
  fresh: readonly Crossing[],
): Promise<CheckReport> {
  const total = { crossed: 0, dropped: 0, errors: [] as unknown[] }
  const written: WrittenCrossing[] = []
  for (const crossing of fresh) {
    try {
      const data = conditionData(check.source.kind, crossing, check.alert.language)
      written.push({ crossing, bytes: Buffer.byteLength(JSON.stringify(data)) })
    } catch (error) {
      total.errors.push(error)
    }
  }
  for (const crossings of messagesOf(check.alert, written)) {
    if (check.isLate) break
    try {
      const { crossed, dropped } = await write(deps.engine, deps.nowMs, (writing) =>
        report(deps, writing, check, crossings),
      )
      total.crossed += crossed
      total.dropped += dropped
    } catch (error) {
      total.errors.push(error)
    }
  }
  return total
}

/** A condition with the size of its data for a program. */
interface WrittenCrossing {
  readonly crossing: Crossing
  readonly bytes: number
}

/** The conditions of each message. A program gets all of them as data, so its requests must not become too large. */
function messagesOf(
  { channel }: StoredAlert,
  written: readonly WrittenCrossing[],
): readonly Crossings[] {
  const { hookConditionsMax, hookBytesMax } = groupLimits
  const messages: [Crossing, ...Crossing[]][] = []
  let bytesLeft = 0
  for (const { crossing, bytes } of written) {
    const last = messages.at(-1)
    bytesLeft -= bytes
    const hasRoom =
      channel !== 'webhook' || (bytesLeft >= 0 && (last?.length ?? 0) < hookConditionsMax)
    if (last && hasRoom) last.push(crossing)
    else {
      messages.push([crossing])
      bytesLeft = hookBytesMax - bytes
    }
  }
  return messages
}

const nothing = { crossed: 0, dropped: 0 }

async function report(
  { vault, random, nowMs, publicUrl }: ReportDeps,
  writing: Writing,
  { alert: { id }, source }: Check,
  crossings: Crossings,
) {
  // The alert may have been deleted or disabled since it was read, and another replica may have reported.
  const alert = await readAlert(writing.tx, id)
  if (!alert?.isEnabled) return nothing
  const crossed = await findCrossed(writing.tx, id, source)
  const [first, ...others] = crossings.filter((each) => !crossed.has(nameOf(each)))
  if (!first) return nothing
  const fresh: Crossings = [first, ...others]
  await addCrossings(writing.tx, id, source, fresh.map(nameOf), nowMs)
  const deps = { random, nowMs, publicUrl }
  const messages = await compose(writing.tx, alert, source.kind, fresh, deps)
  if (messages.length === 0) {
    const options = { language: alert.language, consoleUrl: undefined }
    const { subject: title } = messageText(source.kind, fresh, options)
    await noteUnsent(writing, alert, { purpose: source.kind, title }, nowMs)
  }
  let dropped = 0
  for (const message of messages)
    if (!(await enqueue(writing, { vault, nowMs }, message))) dropped += 1
  return { crossed: fresh.length, dropped }
}

/** All recipients have left the account: the list of messages must show that nobody was told. */
async function noteUnsent(
  { tx }: Writing,
  alert: StoredAlert,
  about: { readonly purpose: AlertKind; readonly title: string },
  nowMs: number,
) {
  const { id: alertId, accountId, channel, emails } = alert
  const message = { ...about, accountId, alertId, channel, target: emails[0] ?? '' }
  await noteSent(tx, message, { nowMs, error: deliveryText('no_recipient') })
}
