import { isDeepStrictEqual } from 'node:util'
import type { MediaPart, ModelRequest, Part } from '../../../src/core/neutral/model-request.ts'
import { type ProtocolName, protocolNames } from '../../../src/core/neutral/protocol-name.ts'
import { argumentsOf } from '../gist/call-arguments.ts'
import { imageGist } from '../gist/image-gist.ts'
import { decodeClientBody } from '../pipeline/client-request.ts'
import { sendAnew, sendRequest } from '../pipeline/send-request.ts'
import { traitVariants } from '../pipeline/trait-variants.ts'
import type { Recording } from '../recordings/recording.ts'
import { type Case, of } from './assertion.ts'

/**
 * Neutral → wire → neutral keeps the content of a request (texts, calls, results, media, tools), with the same bytes
 * each time.
 */
export function qSameRequest(recordings: readonly Recording[]): Case[] {
  return protocolNames.flatMap((upstream) =>
    protocolNames.map((client) => ({
      name: `Q requests keep their meaning (${client} → ${upstream} → neutral)`,
      run: (judge) => {
        for (const recording of of(recordings, client)) {
          judge.check(recording.name, () => requestProblems(recording, upstream))
        }
      },
    })),
  )
}

function requestProblems(recording: Recording, upstream: ProtocolName): string[] {
  const traits = traitVariants[upstream][0] ?? {}
  const sending = sendRequest(recording, upstream, traits)
  if (sending?.type !== 'sent') return []
  const path = { model: 'upstream-model', isStream: sending.request.isStream }
  const { request } = decodeClientBody(upstream, sending.text, path)
  const before = meaningOf(sending.request)
  const after = meaningOf({ ...request, tools: withoutAdded(sending.request, request) })
  const problems = Object.keys(before).flatMap((name) =>
    isDeepStrictEqual(before[name], after[name])
      ? []
      : [`${name}: ${show(before[name])} → ${show(after[name])}`],
  )
  const again = sendAnew(recording, upstream, traits)
  // Vendors cache prompts by their bytes.
  if (again?.type !== 'sent' || again.text !== sending.text) problems.push('written differently')
  return [...problems, ...lostTexts(sending.request, request)]
}

/** Some upstreams need a declaration of each tool that was ever called; these are added to a request without tools. */
function withoutAdded(before: ModelRequest, after: ModelRequest): ModelRequest['tools'] {
  const called = before.turns.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === 'tool-call' ? [nameOf(part)] : [])),
  )
  const isAdded = (tool: ModelRequest['tools'][number]) =>
    before.tools.length === 0 && tool.type !== 'hosted' && called.includes(nameOf(tool))
  return after.tools.filter((tool) => !isAdded(tool))
}

/**
 * Leaves out the division into parts and turns, which differs between protocols, and everything that has its own
 * warnings.
 */
function meaningOf(request: ModelRequest): Record<string, unknown> {
  const parts = request.turns.flatMap(({ parts: own }) => own)
  const results = parts.flatMap((part) => (part.type === 'tool-result' ? [part] : []))
  const calls = parts.flatMap((part) => (part.type === 'tool-call' ? [part] : []))
  const all = [...parts, ...results.flatMap((result) => result.parts)]
  return {
    calls: calls.map((call) => [nameOf(call), callArguments(call)]),
    results: results.length,
    images: all.flatMap((part) => (part.type === 'media' ? mediaGists(part) : [])),
    isStream: request.isStream,
    tools: toolsOf(request),
  }
}

/** Images by their bytes or URL; other media have many forms. */
function mediaGists({ kind, source }: MediaPart): string[] {
  if (kind !== 'image') return []
  if (source.type === 'base64') return [imageGist(source.data)]
  return [source.type === 'url' ? imageGist(source.url) : source.type]
}

/** The tools that may be called. Some upstreams get fewer tools instead of a tool choice. */
function toolsOf({ tools, toolChoice }: ModelRequest): string[] {
  const names = tools.flatMap((tool) => (tool.type === 'hosted' ? [] : [nameOf(tool)]))
  if (toolChoice?.type !== 'allowed') return names
  return names.filter((name) => toolChoice.names.includes(name))
}

function nameOf({ name, namespace }: { name: string; namespace?: string | undefined }): string {
  return namespace === undefined ? name : `${namespace}__${name}`
}

/** Every earlier text must still exist, with the same role and in the same order. */
function lostTexts(before: ModelRequest, after: ModelRequest): string[] {
  return (['user', 'assistant'] as const).flatMap((role) => {
    const whole = textsOf(after, role).join('')
    let at = 0
    return textsOf(before, role).flatMap((text) => {
      const found = whole.indexOf(text, at)
      if (found < 0) return [`${role} no longer says ${show(text)}`]
      at = found + text.length
      return []
    })
  })
}

/** Instructions may become a system turn, a reminder in a user turn, or the system prompt: they count as the user's. */
function textsOf(request: ModelRequest, role: 'user' | 'assistant'): string[] {
  const turns = request.turns.filter(
    (turn) => (turn.role === 'assistant') === (role === 'assistant'),
  )
  const texts = turns.flatMap(({ parts }) => parts.map(textOf))
  const instructions = role === 'user' ? request.system.map(({ text }) => text) : []
  return [...instructions, ...texts].map(withoutSpace).filter((text) => text !== '')
}

function textOf(part: Part): string {
  return part.type === 'text' || part.type === 'refusal' ? part.text : ''
}

function withoutSpace(text: string): string {
  return text.replace(/\s+/g, '')
}

function callArguments(part: { form: string; argumentsText: string }): unknown {
  return part.form === 'custom' ? { input: part.argumentsText } : argumentsOf(part.argumentsText)
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'none'
  return text.length > 140 ? `${text.slice(0, 70)}…(${text.length})…${text.slice(-60)}` : text
}
