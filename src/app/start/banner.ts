/** The start banner: the URL, a sign-in link, and a command to paste. */
export interface BannerFacts {
  readonly baseUrl: string
  readonly database: string
  /** One-time sign-in link for the admin; undefined once an admin has another way to sign in. */
  readonly signInUrl: string | undefined
  /** The local demo key; undefined when the deployment has its own keys. */
  readonly localKey: string | undefined
  /** A model that the key can call. */
  readonly sampleModel: string | undefined
  readonly isDemo: boolean
  readonly notes: readonly string[]
}

export function renderBanner(facts: BannerFacts): string {
  const { baseUrl, localKey, sampleModel } = facts
  const lines = [
    '',
    `  Tollgate is ready at   ${baseUrl}`,
    `  Console                ${facts.signInUrl ?? `${baseUrl}/console/`}`,
  ]
  if (facts.signInUrl !== undefined)
    lines.push('                         (one-time sign-in link, valid for an hour)')
  lines.push(`  Database               ${facts.database}`)
  if (localKey !== undefined)
    lines.push(`  ${facts.isDemo ? 'Demo API key' : 'API key     '}           ${localKey}`)
  if (localKey !== undefined && sampleModel !== undefined)
    lines.push('', '  Try it:', '', curlLine(baseUrl, localKey, sampleModel))
  if (facts.isDemo) {
    lines.push(
      '',
      '  The models demo-small and demo-large answer from a built-in demo upstream. Set OPENAI_API_KEY,',
      '  ANTHROPIC_API_KEY or GEMINI_API_KEY, or add an upstream in the console or in tollgate.yaml,',
      '  to use real models.',
    )
  }
  for (const note of facts.notes) lines.push('', `  ${note}`)
  lines.push('', '  Ctrl-C stops.', '', '')
  return lines.join('\n')
}

function curlLine(baseUrl: string, key: string, model: string): string {
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello!' }] })
  return `curl ${baseUrl}/v1/chat/completions -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '${body}'`
}
