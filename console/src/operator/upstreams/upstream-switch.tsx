import { Switch } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { UpstreamEdit, UpstreamRow } from '../../../../src/console-api/contract.ts'
import { call } from '../../api/client.ts'
import { useChange } from '../use-change.ts'

/** Enables or disables an upstream immediately. */
export function UpstreamSwitch({ upstream }: { upstream: UpstreamRow }) {
  const { t } = useTranslation()
  const { id, isEnabled } = upstream
  const change = useChange(
    (edit: { isEnabled: boolean } & UpstreamEdit) =>
      call('PATCH /operate/upstreams/{id}', { params: { id }, body: edit }),
    { optimistic: (update, edit) => update.change('upstreams', id, { isEnabled: edit.isEnabled }) },
  )
  return (
    <Switch
      label={t('upstreams.enabled')}
      labelPosition="left"
      styles={{ root: { flexShrink: 0 }, label: { whiteSpace: 'nowrap' } }}
      checked={isEnabled}
      onChange={(event) => change.mutate({ isEnabled: event.currentTarget.checked })}
    />
  )
}
