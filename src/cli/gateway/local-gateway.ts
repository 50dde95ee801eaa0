import type { Session } from '../../accounts/session-store.ts'
import { openIdFrom } from '../../app/open-id/open-id.ts'
import { findUrl } from '../../app/start/last-url.ts'
import type { Operations } from '../../console-api/contract/operations/operations.ts'
import { shareAmong } from '../../console-api/create-console.ts'
import { answerCall } from '../../console-api/http/answer-call.ts'
import type { ConsoleDeps } from '../../console-api/ports/console-parts.ts'
import { ApiRefusal } from '../../console-api/refusal.ts'
import { routes } from '../../console-api/routes/routes.ts'
import { cliActor } from '../../core/access/cli-actor.ts'
import { newRequestId } from '../../core/id.ts'
import type { CommandCall } from '../command.ts'
import type { CommandDatabase } from '../with-database.ts'
import { type GatewayClient, GatewayRefusal, type OperationArguments } from './gateway-client.ts'
import { localPorts } from './local-ports.ts'
import { pathOf } from './path-of.ts'

/** Local calls do not come over the network. */
const here = { address: '127.0.0.1', peer: '127.0.0.1' }
const root = 'http://localhost'

/** The console's operations, executed in this process on an open database. Needs no running gateway. */
export function localGateway(
  { config, context }: CommandCall,
  { engine, vault, nowMs }: Pick<CommandDatabase, 'engine' | 'vault' | 'nowMs'>,
): GatewayClient {
  const clock = { nowMs, monotonicMs: () => performance.now() }
  const deps: ConsoleDeps = {
    engine,
    vault,
    clock,
    random: context.random,
    assets: { find: () => undefined },
    brand: config.brand,
    publicUrl: config.publicUrl,
    isSecureListen: false,
    gateway: localPorts(config, { ...context, nowMs }, { engine, vault }),
    showsUpstreamsToMembers: config.showsUpstreamsToMembers,
    recording: config,
    confirmGrantsFrom: config.confirmGrantsFrom,
    openId: openIdFrom(() => config.openId),
    relyingParty: undefined,
  }
  const shared = shareAmong(deps)
  const answer = async <Name extends keyof Operations>(
    name: Name,
    ask: OperationArguments<Name>,
  ) => {
    const route = routes.find(({ method, path }) => `${method} ${path}` === name)
    if (!route) throw new Error(`there is no operation ${name}`)
    const request = requestOf(name, ask)
    const context = { ...here, requestId: newRequestId(clock.nowMs()) }
    const { id = '' } = ask
    const arrived = { route, id, rest: '', request, url: new URL(request.url), context }
    const session = sessionOf(clock.nowMs())
    return answerCall(deps, shared, arrived, { session }).catch(explain)
  }
  return {
    url: findUrl(config),
    call: async (name, ask) => {
      const answered = await answer(name, ask)
      if ('response' in answered) throw new Error(`${name} does not return JSON`)
      // The handlers of a table return the types that its operations declare: see `Handlers`.
      return answered.body as never
    },
    text: async (name, ask) => {
      const answered = await answer(name, ask)
      if ('response' in answered) return answered.response.text()
      throw new Error(`${name} does not return a file`)
    },
  }
}

function requestOf<Name extends keyof Operations>(
  name: Name,
  ask: OperationArguments<Name>,
): Request {
  const { method, path } = pathOf(name, name, ask)
  return new Request(root + path, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(ask.idempotencyKey !== undefined && { 'idempotency-key': ask.idempotencyKey }),
    },
    ...(ask.body !== undefined && { body: JSON.stringify(ask.body) }),
  })
}

/** A person who has the secret and the database may do everything. */
function sessionOf(nowMs: number): Session {
  return {
    id: cliActor,
    tokenHash: '',
    userId: cliActor,
    email: cliActor,
    invitedTo: undefined,
    isAdmin: true,
    hasPassword: false,
    hasTotp: false,
    hasOpenId: false,
    source: 'manual',
    language: null,
    theme: null,
    createdAtMs: nowMs,
    authenticatedAtMs: nowMs,
  }
}

function explain(error: unknown): never {
  if (!(error instanceof ApiRefusal)) throw error
  const { code, message, details } = error
  const { detail, field, values } = details
  throw new GatewayRefusal(message, { code, detail, field, values })
}
