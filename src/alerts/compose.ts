import { newId, type RandomBytes } from '../core/id.ts'
import { formatDollars } from '../core/money/money.ts'
import type { Language } from '../core/text/language.ts'
import type { NewMessage } from '../outbox/message.ts'
import { renderMail } from '../outbox/render-mail.ts'
import type { Engine } from '../store/engine.ts'
import { type Crossing, writtenValues } from './alert-source.ts'
import { membersAmong, readAlert, type StoredAlert } from './alert-store.ts'
import { alertText } from './alert-texts.ts'
import type { AlertKind } from './definition/alert.ts'

interface ComposeDeps {
  readonly random: RandomBytes
  readonly nowMs: number
}

/** One message for each recipient of an alert. */
export async function compose(
  db: Engine['db'],
  alert: StoredAlert,
  kind: AlertKind,
  crossing: Crossing,
  deps: ComposeDeps,
): Promise<NewMessage[]> {
  const common = { purpose: kind, accountId: alert.accountId, alertId: alert.id }
  if (alert.channel !== 'email') {
    const content = { body: hookBody(alert, kind, crossing, deps) }
    const title = alertText(kind, crossing, alert.language).subject
    return [{ ...common, channel: alert.channel, target: alert.urlHost ?? '', title, content }]
  }
  const languages = await languagesOf(db, alert.emails)
  return (await recipientsOf(db, alert)).map((target) => {
    const { subject, text } = alertText(kind, crossing, languages.get(target) ?? alert.language)
    const mail = renderMail({ subject, paragraphs: [text] })
    return { ...common, channel: 'email', target, title: subject, content: { mail } }
  })
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
  { alertId, channel, target }: Pick<NewMessage, 'alertId' | 'channel' | 'target'>,
): Promise<'alert_deleted' | 'alert_disabled' | 'recipient_removed' | undefined> {
  if (alertId === null) return undefined
  const alert = await readAlert(db, alertId)
  if (!alert) return 'alert_deleted'
  if (!alert.isEnabled) return 'alert_disabled'
  if (channel !== 'email' || (await recipientsOf(db, alert)).includes(target)) return undefined
  return 'recipient_removed'
}

/** Amounts without a sign, moments in ISO 8601. */
export function valuesForPrograms(crossing: Crossing): Readonly<Record<string, string>> {
  return writtenValues(crossing, {
    amount: formatDollars,
    time: (ms) => new Date(ms).toISOString(),
  })
}

/** The body of a webhook: with data to act on, or the text alone for a Slack-compatible one. */
export function hookBody(
  { channel, language }: Pick<StoredAlert, 'channel' | 'language'>,
  kind: AlertKind | 'test',
  crossing: Crossing,
  { random, nowMs }: ComposeDeps,
): string {
  const { subject: title, text } = alertText(kind, crossing, language)
  if (channel === 'slack')
    return JSON.stringify({ text: `*${slackText(title)}*\n${slackText(text)}` })
  return JSON.stringify({
    id: newId('evt', random),
    kind,
    at: new Date(nowMs).toISOString(),
    accountId: crossing.accountId,
    subject: crossing.subject,
    title,
    text,
    values: valuesForPrograms(crossing),
  })
}

/**
 * Slack reads `<!channel>` as a mention of everybody, Mattermost `@channel`, also after a dot, a hyphen or an underscore,
 * and Discord `@everyone` and `@here` anywhere. A space without width after the `@` ends the mention; in the middle of
 * an email address there is none. Mattermost and Discord read `[text](url)` as a link to anywhere, and backticks could
 * turn the rest of the message into code.
 */
function slackText(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return escaped
    .replace(/(?<![A-Za-z0-9])@|@(?=everyone|here)/gi, '@\u200B')
    .replace(/\](?=[([])/g, ']\u200B')
    .replaceAll('`', "'")
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
