import { plural } from '../../core/text/plural.ts'
import type { Command } from '../command.ts'
import { withGateway } from '../gateway/with-gateway.ts'

export const ledgerReplay: Command = {
  name: 'ledger replay',
  summary: 'Apply the records that the database rejected, each exactly once.',
  positionals: [],
  options: {},
  run: (call) =>
    withGateway(call, async (gateway) => {
      const { applied, refused, damaged } = await gateway.call('POST /operate/replay', {
        isLong: true,
        ifLost: 'Each record is applied once, so it is safe to repeat the command.',
      })
      const lines = [`${plural(applied, 'record')} applied to the database`]
      if (refused === 1) lines.push('1 record is still rejected and stays in refused.log')
      if (refused > 1) lines.push(`${refused} records are still rejected and stay in refused.log`)
      if (damaged === 1) lines.push('1 line cannot be read and stays in refused.log')
      if (damaged > 1) lines.push(`${damaged} lines cannot be read and stay in refused.log`)
      call.context.stdout(`${lines.join('\n')}\n`)
      return refused + damaged === 0 ? 0 : 1
    }),
}
