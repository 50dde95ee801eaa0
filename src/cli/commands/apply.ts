import { describeApplied, describeChanges } from '../../provision/applied.ts'
import { applyProvision } from '../../provision/apply-provision.ts'
import { hashPassword, isPasswordOf } from '../../store/secrets/password.ts'
import type { Command, CommandCall } from '../command.ts'
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
  return withDatabase(call, ({ engine, vault }) => {
    const { nowMs, random } = call.context
    const tools = { vault, random, nowMs, hashPassword, isPasswordOf }
    return applyProvision(engine, tools, call.config.provision)
  })
}

/** Reads the file, and the files and variables that it refers to, on this machine. */
function send(call: CommandCall, isDryRun: boolean) {
  const body = call.provision()
  return withGateway(call, (gateway) =>
    gateway.call('POST /operate/provision', {
      body,
      query: { dryRun: isDryRun ? 'true' : 'false' },
      isLong: true,
      ifLost:
        'It is not known whether the command took effect; applying the same file twice changes nothing, so it is safe to repeat it.',
    }),
  )
}
