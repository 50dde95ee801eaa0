import { setting } from './setting.ts'
import * as kinds from './setting-kinds.ts'

/** The settings of the log lines about requests. */
export const accessLogSettings = {
  accessLog: setting(kinds.accessLogSetting, {
    byDefault: 'on',
    about:
      'Where the line about each request goes: on, to the log; off, nowhere; or the path of a file of its own, such as /var/log/tollgate/access.log.',
  }),
  accessLogSampleRate: setting(kinds.shareSetting, {
    byDefault: '1',
    about:
      'The share of successful requests that the access log has a line for, from 0 to 1. Failed requests always have one.',
  }),
  accessLogFileBytesMax: setting(kinds.sizeSetting({ least: '64KiB', such: '100MiB' }), {
    byDefault: '100MiB',
    about: 'When the access log file reaches this size, it is renamed and a new one is started.',
  }),
  accessLogFilesMax: setting(kinds.countSetting(1), {
    byDefault: '5',
    about:
      'Renamed access log files that are kept, as FILE.1 for the newest, FILE.2 and so on; older ones are deleted.',
  }),
}
