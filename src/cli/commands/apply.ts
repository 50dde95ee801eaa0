import { dollarText } from '../../core/money/money.ts'
import { describeApplied, describeChanges } from '../../provision/applied.ts'
import { applyProvision } from '../../provision/apply-provision.ts'
import { grantCheckOf, UnconfirmedCredit } from '../../provision/unconfirmed-credit.ts'
import { hashPassword, isPasswordOf } from '../../store/secrets/password.ts'
import type { Command, CommandCall } from '../command.ts'
import { confirm, yes } from '../confirm.ts'
import { confirmLarge } from '../confirm-large.ts'
import { withGateway } from '../gateway/with-gateway.ts'
import { withDatabase } from '../with-database.ts'

export const apply: Command = {
  name: 'apply',
  summary:
    'Apply the provision section of the config file; everything it does not name stays unchanged.',
  example: '--dry-run',
  positionals: [],
  options: {
    'dry-run': { kind: 'switch', description: 'Show what would change without changing anything.' },
    yes,
  },
  readsConfig: true,
  run: async (call) => {
    const isDryRun = call.isOn('dry-run')
    const applied = await (call.remote || isDryRun ? send(call, isDryRun) : applyHere(call))
    for (const warning of applied.warnings) call.context.stderr(`tollgate: ${warning}\n`)
    const note = isDryRun ? '; nothing was changed' : ''
    call.context.stdout(`${describeApplied(applied)}${note}\n`)
    if (isDryRun) call.context.stdout(describeChanges(applied))
    return 0
  },
}

/** Like each start of the gateway, with a file of any size. */
function applyHere(call: CommandCall) {
  return withDatabase(call, async ({ engine, vault, nowMs }) => {
    const { random } = call.context
    const tools = { vault, random, nowMs, hashPassword, isPasswordOf }
    const { provision } = call.config
    try {
      return await applyProvision(engine, tools, provision, grantCheckOf(call.config))
    } catch (error) {
      if (!(error instanceof UnconfirmedCredit)) throw error
      await confirm(call, `This adds ${dollarText(error.amountNano)} to ${receiver}`)
    }
    return applyProvision(engine, tools, provision, 'confirmed')
  })
}

const receiver = 'an account of the file'

/** Reads the file, and the files and variables that it refers to, on this machine. */
function send(call: CommandCall, isDryRun: boolean) {
  const body = call.provision()
  return withGateway(call, (gateway) =>
    confirmLarge(call, receiver, (query) =>
      gateway.call('POST /operate/provision', {
        body,
        query: { ...query, dryRun: isDryRun ? 'true' : 'false' },
        isLong: true,
        ifLost:
          'It is not known whether the command took effect; applying the same file twice changes nothing, so it is safe to repeat it.',
      }),
    ),
  )
}
