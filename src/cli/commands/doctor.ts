import { alignColumns } from '../../config/align-columns.ts'
import type { Command, CommandCall } from '../command.ts'
import { checkBackup } from '../doctor/check-backup.ts'
import { checkBudgetZones } from '../doctor/check-budget-zones.ts'
import { checkDatabaseClock } from '../doctor/check-clock.ts'
import { checkConfigFile } from '../doctor/check-config-file.ts'
import { checkDataFolder } from '../doctor/check-data-folder.ts'
import { examineDatabase } from '../doctor/check-database.ts'
import { checkJournal } from '../doctor/check-journal.ts'
import { checkLimitsServer } from '../doctor/check-limits-server.ts'
import { checkMail } from '../doctor/check-mail.ts'
import { checkModels } from '../doctor/check-models.ts'
import { checkOpenFiles } from '../doctor/check-open-files.ts'
import { checkReadDatabase } from '../doctor/check-read-database.ts'
import { checkSecrets } from '../doctor/check-secrets.ts'
import { checkSingleSignOn } from '../doctor/check-single-sign-on.ts'
import { checkUpstream } from '../doctor/check-upstream.ts'
import { checkWorkers } from '../doctor/check-workers.ts'
import { examineRemote } from '../doctor/examine-remote.ts'
import type { DoctorFinding } from '../doctor/finding.ts'
import { listUpstreams } from '../doctor/list-upstreams.ts'

export const doctor: Command = {
  name: 'doctor',
  summary:
    'Check database, secret, folders, upstreams, mail, single sign-on, clock and limits, and say what to fix.',
  positionals: [],
  options: {},
  run: async (call) => {
    const findings = call.remote ? await examineRemote(call.remote, call) : await examine(call)
    const rows = findings.map(({ verdict, topic, text }) => [verdict.padEnd(4), topic, text])
    call.context.stdout(`${alignColumns(rows).join('\n')}\n`)
    return findings.some(({ verdict }) => verdict === 'fail') ? 1 : 0
  },
}

async function examine(call: CommandCall): Promise<DoctorFinding[]> {
  const { config, context } = call
  const database = await examineDatabase(config)
  try {
    const upstreams = await listUpstreams(config, database.usable)
    const reached = await Promise.all(upstreams.map((each) => checkUpstream(each, context)))
    const clock = database.engine ? await checkDatabaseClock(database.engine, context.nowMs) : []
    return [
      checkConfigFile(config, context.cwd),
      ...checkDataFolder(config),
      ...checkJournal(config),
      ...database.findings,
      ...clock,
      ...(await checkReadDatabase(config, database.usable !== undefined)),
      ...(await checkBackup(database.usable, context.nowMs())),
      ...(await checkSecrets(call, database.usable)),
      ...(await checkLimitsServer(config)),
      ...reached.flat(),
      ...(await checkModels(database.usable, context.nowMs())),
      ...(await checkBudgetZones(database.usable)),
      ...(await checkMail(config)),
      ...(await checkSingleSignOn(config, database.usable)),
      ...checkWorkers(config),
      checkOpenFiles(),
    ]
  } finally {
    await database.engine?.close()
  }
}
