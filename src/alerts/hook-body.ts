import { newId, type RandomBytes } from '../core/id.ts'
import { formatDollars } from '../core/money/money.ts'
import type { Language } from '../core/text/language.ts'
import { type Crossing, type Crossings, writtenValues } from './alert-source.ts'
import type { StoredAlert } from './alert-store.ts'
import { alertText } from './alert-texts.ts'
import type { AlertKind } from './definition/alert.ts'
import { groupLimits } from './group-texts.ts'
import { type MessageText, messageText } from './message-text.ts'

interface HookDeps {
  readonly random: RandomBytes
  readonly nowMs: number
  /** The page of the alert in the console. */
  readonly consoleUrl: string | undefined
}

/** What a webhook says about one condition. */
interface ConditionData {
  readonly subject: string
  readonly accountId: string | null
  readonly title: string
  readonly text: string
  readonly values: Readonly<Record<string, string>>
}

/** Amounts without a sign, moments in ISO 8601. */
function valuesForPrograms(crossing: Crossing): Readonly<Record<string, string>> {
  return writtenValues(crossing, {
    amount: formatDollars,
    limit: formatDollars,
    time: (ms) => new Date(ms).toISOString(),
  })
}

export function conditionData(
  kind: AlertKind | 'test',
  crossing: Crossing,
  language: Language,
): ConditionData {
  const { subject: title, text } = alertText(kind, crossing, language)
  const { accountId, subject } = crossing
  return { subject, accountId, title, text, values: valuesForPrograms(crossing) }
}

/**
 * The body of a webhook: with data to act on, or the text alone for a Slack-compatible one. A receiver that knows nothing
 * of several conditions reads the first one, and a text about all of them.
 */
export function hookBody(
  { channel, language }: Pick<StoredAlert, 'channel' | 'language'>,
  kind: AlertKind | 'test',
  crossings: Crossings,
  { random, nowMs, consoleUrl }: HookDeps,
): string {
  if (channel === 'slack') {
    const write = (listedMax: number) =>
      slackBody(messageText(kind, crossings, { language, consoleUrl, listedMax }))
    return JSON.stringify({ text: shortEnough(write) })
  }
  const message = messageText(kind, crossings, { language, consoleUrl })
  const [first] = crossings
  return JSON.stringify({
    id: newId('evt', random),
    kind,
    at: new Date(nowMs).toISOString(),
    ...conditionData(kind, first, language),
    title: message.subject,
    text: [message.text, ...endOf(message, '-')].join('\n'),
    conditions: kind === 'test' ? [] : crossings.map((each) => conditionData(kind, each, language)),
  })
}

/** The longest text that a receiver accepts. Only names of many signs that are escaped need a cut. */
function shortEnough(write: (listedMax: number) => string): string {
  const { listedMax, slackCharactersMax } = groupLimits
  for (let count: number = listedMax; count > 0; count -= 1) {
    const text = write(count)
    if (text.length <= slackCharactersMax) return text
  }
  const start = write(1).slice(0, slackCharactersMax - 1)
  return `${start.replace(/&\w*$/, '')}…`
}

function slackBody({ subject, ...message }: MessageText): string {
  const lines = [message.text, ...endOf(message, '•')].map(slackText)
  return [`*${slackText(subject)}*`, ...lines].join('\n')
}

/** What follows the text about several conditions. */
function endOf(
  { lines, rest, link, page }: Omit<MessageText, 'subject' | 'text'>,
  bullet: string,
): readonly string[] {
  const last = [rest, link?.url ?? page].filter((each) => each !== undefined)
  return [...lines.map((line) => `${bullet} ${line}`), ...last]
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
