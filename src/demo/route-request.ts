import { chatCompletions } from './chat-completions/chat-completions.ts'
import type { DemoProtocol } from './demo-protocol.ts'
import { generateContent, generateContentCounting } from './generate-content/generate-content.ts'
import { messages, messagesCounting } from './messages/messages.ts'
import { responses } from './responses/responses.ts'

export type DemoFraming = 'sse' | 'sse-crlf' | 'json-array'

export interface AnswerRoute {
  readonly kind: 'answer'
  readonly protocol: DemoProtocol
  readonly framing: DemoFraming
}

export interface CountRoute {
  readonly kind: 'count'
  readonly protocol: DemoProtocol
  /** The field of the reply that contains the count. */
  readonly field: string
}

export type DemoRoute =
  | AnswerRoute
  | CountRoute
  | { readonly kind: 'models'; readonly flavour: 'openai' | 'anthropic' | 'google' }
  | { readonly kind: 'unknown'; readonly protocol: DemoProtocol }

/** The operation that a request calls; an unknown path still gets the protocol whose clients would call it. */
export function routeRequest(request: Request): DemoRoute {
  const { pathname, searchParams } = new URL(request.url)
  switch (`${request.method} ${pathname}`) {
    case 'POST /v1/chat/completions':
      return { kind: 'answer', protocol: chatCompletions, framing: 'sse' }
    case 'POST /v1/responses':
      return { kind: 'answer', protocol: responses, framing: 'sse' }
    case 'POST /v1/messages':
      return { kind: 'answer', protocol: messages, framing: 'sse' }
    case 'POST /v1/messages/count_tokens':
      return { kind: 'count', protocol: messagesCounting, field: 'input_tokens' }
    case 'GET /v1/models':
      return { kind: 'models', flavour: speaksMessages(request) ? 'anthropic' : 'openai' }
    case 'GET /v1beta/models':
      return { kind: 'models', flavour: 'google' }
    default:
      return routeByPrefix(request.method, pathname, searchParams.get('alt'))
  }
}

function routeByPrefix(method: string, pathname: string, alt: string | null): DemoRoute {
  if (pathname.startsWith('/v1/messages')) return { kind: 'unknown', protocol: messages }
  if (!pathname.startsWith('/v1beta/')) return { kind: 'unknown', protocol: chatCompletions }

  const [, encodedModel = '', action] = /^\/v1beta\/models\/(.+):(\w+)$/u.exec(pathname) ?? []
  const model = decodePath(encodedModel)
  const isPost = method === 'POST'
  if (isPost && action === 'generateContent') {
    return { kind: 'answer', protocol: generateContent(model, false), framing: 'sse-crlf' }
  }
  if (isPost && action === 'streamGenerateContent') {
    const framing = alt === 'sse' ? 'sse-crlf' : 'json-array'
    return { kind: 'answer', protocol: generateContent(model, true), framing }
  }
  if (isPost && action === 'countTokens') {
    return { kind: 'count', protocol: generateContentCounting(model), field: 'totalTokens' }
  }
  return { kind: 'unknown', protocol: generateContent(model, false) }
}

function speaksMessages(request: Request): boolean {
  return request.headers.has('anthropic-version') || request.headers.has('x-api-key')
}

function decodePath(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
