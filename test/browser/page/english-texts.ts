import type { Page } from 'playwright-core'

/**
 * All texts of a page for readers and screen readers: texts, names of controls, hints and titles. Code is left out,
 * because it is the same in every language.
 */
const readTexts = `(() => {
  const texts = [document.title]
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (walk.nextNode()) {
    const { parentElement, textContent } = walk.currentNode
    if (!parentElement.closest('script, style, noscript, pre, code, textarea, .code-block, .monospace')) {
      texts.push(textContent)
    }
  }
  for (const name of ['aria-label', 'title', 'placeholder', 'alt', 'aria-roledescription']) {
    for (const each of document.querySelectorAll('[' + name + ']:not([aria-hidden=true])')) {
      texts.push(each.getAttribute(name))
    }
  }
  return texts
})()`

/** Names of products, protocols, formats and units, which Chinese writes as they are. */
const names = [
  /\b(Tollgate|OpenAI|Azure|Anthropic|Google(?: Gemini)?|TypeScript|Python|SQLite|PostgreSQL|Bun|Chrome|Linux|Slack|Asia\/Shanghai)\b/g,
  /\b(Claude Code|Codex|Gemini CLI|opencode|Qwen Code|Cline|Continue|Copilot CLI|Kimi Code|pi|Kilo Code)\b/g,
  /\b(Chat Completions|Messages|Responses|Generate Content)\b/g,
  /\b(Token|Webhook|JSON|HTTPS?|POST|HMAC-SHA256|CSV|SDK|ID|IP|Base URL|URL|API|UTC|PEM|CA|Esc|Shift|MB|ms|curl|cli|English)\b/g,
  /\bX-Forwarded-(For|Proto)\b/g,
  /\b(TOLLGATE_KEY|TOLLGATE_TOKEN|tollgate|backup)\b/g,
]

/**
 * Texts with Latin words that are neither such names nor matched by `own`: ids, addresses, and text that users typed.
 */
export async function englishTexts(page: Page, own: readonly RegExp[]): Promise<string[]> {
  const texts = await page.evaluate<string[]>(readTexts)
  const found = texts.filter((text) => {
    const rest = [...own, ...names].reduce((left, each) => left.replace(each, ''), text)
    return /[A-Za-z]{2}/.test(rest)
  })
  return [...new Set(found.map((text) => text.trim()))]
}
