import { CommandProblem } from '../../app/command-problem.ts'
import { adminRoutes } from '../../console-api/admin/admin-routes.ts'
import {
  type Method,
  type Operation,
  rowFileTypes,
} from '../../console-api/contract/operations/operation.ts'
import { type Operations, operations } from '../../console-api/contract/operations/operations.ts'
import { adminRoot } from '../../console-api/root-paths.ts'
import { OutgoingFailure, type UpstreamResponse } from '../../http-out/reply.ts'
import { stopOn } from '../../http-out/stop-switch.ts'
import { parseJson } from '../../wire/json.ts'
import type { CliContext } from '../command.ts'
import type { GatewayClient, OperationArguments } from './gateway-client.ts'
import { pathOf } from './path-of.ts'
import {
  lostSentence,
  type RemoteCall,
  readRefusal,
  unreachable,
  unreadableAnswer,
} from './remote-problem.ts'
import type { RemoteTarget } from './remote-target.ts'

const connectMs = 10_000
const answerMs = 30_000
/** For operations that read the whole ledger or wait for upstreams. */
const longAnswerMs = 15 * 60_000
const answerBytesMax = 64 * 1024 * 1024
/** Attempts for a request that may be repeated. */
const triesMax = 2
const decoder = new TextDecoder()

const places: ReadonlyMap<string, string> = new Map(
  adminRoutes.map(({ route, path }) => [
    `${route.method} ${route.path}`,
    `${route.method} ${adminRoot}${path}`,
  ]),
)

interface Sending {
  readonly method: Method
  readonly url: string
  readonly body: string | undefined
  readonly isLong: boolean
  readonly idempotencyKey: string | undefined
  readonly ifLost: string
}

/** The operations of a remote gateway, over its admin API. */
export function remoteGateway(target: RemoteTarget, context: CliContext): GatewayClient {
  const answer = async <Name extends keyof Operations>(
    name: Name,
    ask: OperationArguments<Name>,
  ) => {
    const sending = sendingOf(target, name, ask)
    const { reply, text } = await sendWithRetries(target, context, sending)
    const { ifLost } = sending
    const isChange = sending.method !== 'GET'
    const asked = {
      target,
      isChange,
      ifLost,
      version: context.version,
      fileTypes: fileTypesOf(name),
    }
    const refusal = readRefusal(reply, text, asked)
    if (refusal) throw refusal
    return { text, asked }
  }
  return {
    url: target.url,
    call: async (name, ask) => {
      const { text, asked } = await answer(name, ask)
      const body = parseJson(text)
      checkAnswer(name, body, asked)
      return body as never
    },
    text: async (name, ask) => (await answer(name, ask)).text,
  }
}

function fileTypesOf(name: keyof Operations): RemoteCall['fileTypes'] {
  const { answer, fileTypes = rowFileTypes }: Operation = operations[name]
  return answer === null ? fileTypes : undefined
}

function sendingOf<Name extends keyof Operations>(
  { url }: RemoteTarget,
  name: Name,
  ask: OperationArguments<Name>,
): Sending {
  const place = places.get(name)
  if (place === undefined) throw new Error(`the admin API has no ${name}`)
  const { method, path } = pathOf(name, place, ask)
  const { idempotencyKey } = ask
  return {
    // `pathOf` takes the method from the operation's name, which has only these methods.
    method: method as Method,
    url: url + path,
    body: ask.body === undefined ? undefined : JSON.stringify(ask.body),
    isLong: ask.isLong === true,
    idempotencyKey,
    ifLost: ask.ifLost ?? lostSentence(method, idempotencyKey),
  }
}

/** Retries after a lost connection, if the request changes nothing or has an idempotency key. */
async function sendWithRetries(target: RemoteTarget, context: CliContext, sending: Sending) {
  const isRepeatable = sending.method === 'GET' || sending.idempotencyKey !== undefined
  for (let tryNumber = 1; ; tryNumber += 1) {
    try {
      return await sendOnce(target, context, sending)
    } catch (error) {
      const isLost = error instanceof OutgoingFailure && isLostKind(error)
      if (isLost && isRepeatable && tryNumber < triesMax) continue
      throw unreachable(error, target, { isLost, ifLost: sending.ifLost, waitMs: waitOf(sending) })
    }
  }
}

function isLostKind({ kind }: OutgoingFailure): boolean {
  return kind === 'closed_before_answer' || kind === 'stale_connection' || kind === 'cut_short'
}

function waitOf({ isLong }: Sending): number {
  return isLong ? longAnswerMs : answerMs
}

async function sendOnce(
  { token, ca }: RemoteTarget,
  { send, version }: CliContext,
  sending: Sending,
): Promise<{ readonly reply: UpstreamResponse; readonly text: string }> {
  const { method, url, body, idempotencyKey } = sending
  const headers = new Headers({
    authorization: `Bearer ${token}`,
    accept: 'application/json, application/problem+json',
    'accept-encoding': 'identity',
    'user-agent': `tollgate-cli/${version}`,
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
  })
  const reply = await send({
    method,
    url,
    headers,
    body,
    stop: stopOn(AbortSignal.timeout(waitOf(sending))),
    // The operator names the gateway explicitly, so a private address is allowed.
    connection: { proxy: undefined, ca, allowsPrivate: true },
    connectMs,
    isFresh: method !== 'GET',
  })
  const bytes = await reply.body.readWhole(answerBytesMax)
  if (!bytes)
    throw new CommandProblem(
      'The response of the gateway has more than 64 MiB. Ask for less, for example for a shorter time.',
    )
  return { reply, text: decoder.decode(bytes) }
}

/**
 * A newer gateway may send more fields than this version knows. A missing field, or one of another type, means that the
 * answer is not from a Tollgate gateway.
 */
function checkAnswer(name: keyof Operations, answer: unknown, asked: RemoteCall): void {
  const schema = operations[name].answer
  if (!schema) throw new Error(`${name} does not return JSON`)
  const issues = schema.safeParse(answer).error?.issues ?? []
  if (issues.every(({ code }) => code === 'unrecognized_keys')) return
  throw unreadableAnswer(asked, 'JSON that this version does not understand')
}
