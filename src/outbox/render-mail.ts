import type { MailContent } from './message.ts'

export interface MailParts {
  readonly subject: string
  readonly paragraphs: readonly string[]
  /** Below the paragraphs, with a last line about what is not listed. */
  readonly list?: { readonly lines: readonly string[]; readonly rest: string | undefined }
  readonly link?: { readonly label: string; readonly url: string }
  /** The last paragraph, in small print. */
  readonly note?: string
}

/** Plain text and simple HTML with the same text. */
export function renderMail({ subject, paragraphs, list, link, note }: MailParts): MailContent {
  const { lines = [], rest } = list ?? {}
  const last = rest === undefined ? [] : [rest]
  const listText = [...lines.map((line) => `- ${line}`), ...last].join('\n')
  const text = [
    ...paragraphs,
    ...(listText === '' ? [] : [listText]),
    ...(link ? [link.url] : []),
    ...(note === undefined ? [] : [note]),
  ]
  const items = lines.map((line) => `<li>${escapeHtml(line)}</li>`)
  const html = [
    ...paragraphs.map((each) => `<p>${escapeHtml(each)}</p>`),
    ...(items.length === 0 ? [] : [`<ul>${items.join('')}</ul>`]),
    ...last.map((each) => `<p>${escapeHtml(each)}</p>`),
    ...(link ? [`<p><a href="${escapeHtml(link.url)}">${escapeHtml(link.label)}</a></p>`] : []),
    ...(note === undefined ? [] : [`<p><small>${escapeHtml(note)}</small></p>`]),
  ]
  return {
    // A line break in a subject would begin another header.
    subject: subject.replace(/[\s\p{Cc}]+/gu, ' ').trim(),
    text: `${text.join('\n\n')}\n`,
    html: `<!doctype html><html><body style="font-family:sans-serif">${html.join('')}</body></html>`,
  }
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
