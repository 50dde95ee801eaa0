import type { RandomBytes } from '../core/id.ts'
import type { Language } from '../core/text/language.ts'
import type { NewMessage } from '../outbox/message.ts'
import { renderMail } from '../outbox/render-mail.ts'
import type { Engine } from '../store/engine.ts'
import type { Crossings } from './alert-source.ts'
import { membersAmong, readAlert, type StoredAlert } from './alert-store.ts'
import type { AlertKind } from './definition/alert.ts'
import { hookBody } from './hook-body.ts'
import { messageText } from './message-text.ts'

interface ComposeDeps {
  readonly random: RandomBytes
  readonly nowMs: number
  /** The setting `publicUrl`, for links. */
  readonly publicUrl?: string | undefined
}

/** One message about all these conditions for each recipient of an alert. */
export async function compose(
  db: Engine['db'],
  alert: StoredAlert,
  kind: AlertKind,
  crossings: Crossings,
  deps: ComposeDeps,
): Promise<NewMessage[]> {
  const consoleUrl = alertUrl(deps.publicUrl, alert)
  const common = { purpose: kind, accountId: alert.accountId, alertId: alert.id }
  const textIn = (language: Language) => messageText(kind, crossings, { language, consoleUrl })
  if (alert.channel !== 'email') {
    const { subject: title } = textIn(alert.language)
    const content = { body: hookBody(alert, kind, crossings, { ...deps, consoleUrl }) }
    return [{ ...common, channel: alert.channel, target: alert.urlHost ?? '', title, content }]
  }
  const languages = await languagesOf(db, alert.emails)
  return (await recipientsOf(db, alert)).map((target) => {
    const message = textIn(languages.get(target) ?? alert.language)
    const { subject, text, lines, rest, link, page } = message
    const list = { lines, rest }
    const end = { ...(link && { link }), ...(page !== undefined && { note: page }) }
    const mail = renderMail({ subject, paragraphs: [text], list, ...end })
    return { ...common, channel: 'email', target, title: subject, content: { mail } }
  })
}

/** Where the console shows all conditions of an alert. Undefined if the gateway does not know its own URL. */
function alertUrl(
  publicUrl: string | undefined,
  { id, accountId }: Pick<StoredAlert, 'id' | 'accountId'>,
): string | undefined {
  if (publicUrl === undefined) return undefined
  const page = accountId === null ? 'operate/alerts' : 'alerts'
  return `${publicUrl}/console/${page}?alert=${encodeURIComponent(id)}`
}

/** A person who has left the account gets no more messages about it. */
export async function recipientsOf(
  db: Engine['db'],
  { accountId, emails }: Pick<StoredAlert, 'accountId' | 'emails'>,
): Promise<readonly string[]> {
  if (accountId === null) return emails
  const members = await membersAmong(db, accountId, emails)
  return emails.filter((email) => members.has(email))
}

/**
 * Why a message of an alert must not be sent any more: the alert, its recipients or the members of its account may have
 * changed while the message waited.
 */
export async function findObstacle(
  db: Engine['db'],
  {
    accountId,
    alertId,
    channel,
    target,
  }: Pick<NewMessage, 'accountId' | 'alertId' | 'channel' | 'target'>,
): Promise<'alert_deleted' | 'alert_disabled' | 'recipient_removed' | undefined> {
  if (alertId === null) return undefined
  const alert = await readAlert(db, alertId)
  // Another account may have an alert with the id of the deleted one.
  if (alert?.accountId !== accountId) return 'alert_deleted'
  if (!alert.isEnabled) return 'alert_disabled'
  if (channel !== 'email' || (await recipientsOf(db, alert)).includes(target)) return undefined
  return 'recipient_removed'
}

async function languagesOf(
  db: Engine['db'],
  emails: readonly string[],
): Promise<ReadonlyMap<string, Language>> {
  if (emails.length === 0) return new Map()
  const rows = await db
    .selectFrom('console_user')
    .select(['email', 'language'])
    .where('invited_to', 'is', null)
    .where('email', 'in', emails)
    .execute()
  return new Map(rows.map(({ email, language }) => [email, language === 'zh' ? 'zh' : 'en']))
}
