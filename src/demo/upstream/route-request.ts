import { chatCompletions } from './chat-completions.ts'
import type { DemoCall, DemoProtocol } from './demo-protocol.ts'
import { generateContent } from './generate-content.ts'
import { messages } from './messages.ts'
import { responses } from './responses.ts'

export interface DemoRoute extends DemoCall {
  readonly protocol: DemoProtocol
  /** The stream is one JSON array instead of events. */
  readonly isArray: boolean
}

/** The operation that a request calls. */
export function routeRequest({ method, url, headers }: Request): DemoRoute {
  const { pathname, searchParams } = new URL(url)
  switch (`${method} ${pathname}`) {
    case 'POST /v1/chat/completions':
      return routeTo(chatCompletions, 'answer')
    case 'POST /v1/responses':
      return routeTo(responses, 'answer')
    case 'POST /v1/messages':
      return routeTo(messages, 'answer')
    case 'POST /v1/messages/count_tokens':
      return routeTo(messages, 'count')
    case 'GET /v1/models': {
      const isMessages = headers.has('anthropic-version') || headers.has('x-api-key')
      return routeTo(isMessages ? messages : chatCompletions, 'list')
    }
    case 'GET /v1beta/models':
      return routeTo(generateContent, 'list')
  }
  if (pathname.startsWith('/v1/messages')) return routeTo(messages, undefined)
  if (!pathname.startsWith('/v1beta/')) return routeTo(chatCompletions, undefined)
  const [, model = '', verb] = /^\/v1beta\/models\/(.+):(\w+)$/u.exec(pathname) ?? []
  const isStream = verb === 'streamGenerateContent'
  const action = method === 'POST' ? actions.get(verb) : undefined
  const isArray = action === 'answer' && isStream && searchParams.get('alt') !== 'sse'
  return { ...routeTo(generateContent, action), model: decodePath(model), isStream, isArray }
}

const actions: ReadonlyMap<string | undefined, 'answer' | 'count'> = new Map([
  ['generateContent', 'answer'],
  ['streamGenerateContent', 'answer'],
  ['countTokens', 'count'],
])

function routeTo(protocol: DemoProtocol, action: DemoRoute['action']): DemoRoute {
  return { protocol, action, model: '', isStream: false, isArray: false }
}

function decodePath(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
