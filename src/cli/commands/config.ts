import { alignColumns } from '../../config/align-columns.ts'
import { describeConfig } from '../../config/describe-config.ts'
import type { Command, CommandCall } from '../command.ts'
import { withGateway } from '../gateway/with-gateway.ts'

export const config: Command = {
  name: 'config',
  summary:
    'Check the configuration and show the effective settings and their sources, with secrets masked.',
  positionals: [],
  options: {},
  run: async (call) => {
    call.context.stdout(call.remote ? await describeRemote(call) : describeConfig(call.config))
    return 0
  },
}

/** The settings of a remote gateway are those with which the answering process was started. */
function describeRemote(call: CommandCall): Promise<string> {
  return withGateway(call, async (gateway) => {
    const { settings, version } = await gateway.call('GET /operate/system', {})
    const rows = settings.map(({ name, text, from }) => [`${name}:`, text, `# ${from}`])
    return `${[`# gateway ${gateway.url}, version ${version}`, ...alignColumns(rows)].join('\n')}\n`
  })
}
