import type { QueryOf } from '../../console-api/contract/operations/operations.ts'
import type { MessageRow } from '../../console-api/contract.ts'
import { messageStates } from '../../core/message-state.ts'
import { enumKind } from '../../fields/kind.ts'
import { idKind } from '../../fields/kinds.ts'
import type { Command } from '../command.ts'
import { type GatewayClient, rewordRefusal } from '../gateway/gateway-client.ts'
import { pagesOf } from '../gateway/pages-of.ts'
import { withGateway } from '../gateway/with-gateway.ts'
import { noAccount } from '../not-found.ts'
import { readOption } from '../read-typed.ts'
import { timeText } from '../time-text.ts'
import { writeList } from '../write-list.ts'

const stateKind = enumKind(messageStates)

export const messagesList: Command = {
  name: 'messages list',
  summary: 'List sent, waiting and failed messages of the gateway, newest first.',
  example: '--account acme --state failed',
  positionals: [],
  options: {
    account: { kind: 'text', placeholder: 'ID', description: 'Only messages of this account.' },
    state: {
      kind: 'text',
      placeholder: messageStates.join('|'),
      description: 'Only messages in this state.',
    },
    json: { kind: 'switch', description: 'Print JSON.' },
  },
  run: (call) => {
    const account = readOption(call, 'account', idKind)
    const query = { account, state: readOption(call, 'state', stateKind) }
    return withGateway(call, async (gateway) => {
      const form = { none: 'There are no messages.', heading, cellsOf, jsonOf }
      const explain = rewordRefusal({ not_found: noAccount(account ?? '') })
      await writeList(call, messagePages(gateway, query), form).catch(explain)
      return 0
    })
  },
}

async function* messagePages(gateway: GatewayClient, query: QueryOf<'GET /messages'>) {
  const read = (before: string | undefined) =>
    gateway.call('GET /messages', { query: { ...query, before } })
  for await (const { messages } of pagesOf(read)) yield messages
}

const heading = [
  'ID',
  'CREATED',
  'PURPOSE',
  'TITLE',
  'ACCOUNT',
  'CHANNEL',
  'TO',
  'STATE',
  'PROBLEM',
]

function cellsOf(message: MessageRow): string[] {
  return [
    message.id,
    timeText(message.createdAt) ?? '',
    message.purpose,
    message.title ?? '-',
    message.accountId ?? 'gateway',
    message.channel,
    message.target,
    message.state,
    message.lastError ?? '-',
  ]
}

function jsonOf(message: MessageRow) {
  return {
    id: message.id,
    purpose: message.purpose,
    title: message.title,
    account: message.accountId,
    alert: message.alertId,
    channel: message.channel,
    target: message.target,
    state: message.state,
    attempts: message.attempts,
    lastError: message.lastError,
    created: timeText(message.createdAt),
    next: timeText(message.nextAt),
    ended: timeText(message.endedAt),
    resendable: message.isResendable,
    resendOf: message.resendOf,
  }
}
