import { Alert, Group, Stack, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { UpstreamDetail } from '../../../../src/console-api/contract.ts'
import { useVendorText } from '../../codes/use-vendor-text.ts'
import { formatDuration } from '../../format/times.ts'
import { PanelTabs } from '../../parts/dialogs/panel-tabs.tsx'
import { SidePanel } from '../../parts/dialogs/side-panel.tsx'
import { Money } from '../../parts/values/money.tsx'
import { upstreamQuery } from '../operator-queries.ts'
import { DetailLoader } from '../parts/detail-loader.tsx'
import { CredentialList } from './credential-list.tsx'
import { HealthBadge } from './health-badge.tsx'
import { UpstreamForm } from './upstream-form.tsx'
import { UpstreamRoutes } from './upstream-routes.tsx'
import { UpstreamSwitch } from './upstream-switch.tsx'
import { UpstreamTest } from './upstream-test.tsx'

export function UpstreamPanel(props: {
  upstream: string | undefined
  isNew: boolean
  onOpen: (id: string) => void
  onClose: () => void
}) {
  const { t } = useTranslation()
  const { upstream, isNew, onClose } = props
  return (
    <SidePanel
      isOpen={isNew || upstream !== undefined}
      onClose={onClose}
      title={isNew ? t('upstreams.new') : upstream}
      size={620}
    >
      {isNew && (
        <UpstreamForm
          detail={undefined}
          onSaved={(detail) => props.onOpen(detail.id)}
          onClose={onClose}
        />
      )}
      {!isNew && upstream !== undefined && (
        <DetailLoader key={upstream} query={upstreamQuery(upstream)}>
          {(detail) => <Detail detail={detail} onClose={onClose} />}
        </DetailLoader>
      )}
    </SidePanel>
  )
}

type Part = 'routes' | 'credentials' | 'test' | 'settings'

function Detail({ detail, onClose }: { detail: UpstreamDetail; onClose: () => void }) {
  const { t } = useTranslation()
  const [part, setPart] = useState<Part>(detail.needsCredential ? 'credentials' : 'routes')
  const contents: readonly (readonly [Part, ReactNode])[] = [
    ['routes', <UpstreamRoutes key="routes" upstream={detail} />],
    ['credentials', <CredentialList key="credentials" upstream={detail} />],
    ['test', <UpstreamTest key="test" upstream={detail} />],
    [
      'settings',
      <UpstreamForm
        key="settings"
        detail={detail}
        onSaved={() => setPart('routes')}
        onClose={onClose}
      />,
    ],
  ]
  const shown = contents.filter(
    ([name]) => !detail.isDemo || (name !== 'settings' && name !== 'credentials'),
  )
  return (
    <Stack>
      <Summary detail={detail} />
      {detail.needsCredential && <Alert color="orange">{t('upstreams.moved')}</Alert>}
      {detail.isDemo && <Alert color="gray">{t('upstreams.isDemo')}</Alert>}
      <PanelTabs
        open={part}
        onOpen={setPart}
        tabs={shown.map(([name, content]) => ({
          name,
          label: t(`upstreams.part.${name}`),
          content,
        }))}
      />
    </Stack>
  )
}

function Summary({ detail }: { detail: UpstreamDetail }) {
  const { t } = useTranslation()
  const vendorText = useVendorText()
  const { health, spend } = detail
  const firstTokenMs = health.firstTokenMs ?? spend.firstTokenMs
  return (
    <Stack gap="xs">
      <Group justify="space-between" gap="xs" wrap="nowrap" align="flex-start">
        <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {detail.isDemo ? t('upstreams.demo') : `${vendorText(detail.vendor)} · ${detail.baseUrl}`}
        </Text>
        {!detail.isDemo && <UpstreamSwitch upstream={detail} />}
      </Group>
      <Group gap="lg" align="flex-start">
        <HealthBadge upstream={detail} />
        <Figure name={t('upstreams.firstToken')}>
          {firstTokenMs === null ? '—' : formatDuration(firstTokenMs)}
        </Figure>
        <Figure name={t('upstreams.inFlight')}>{health.inFlight}</Figure>
        <Figure name={t('upstreams.requests')}>{spend.requests.toLocaleString('en-US')}</Figure>
        <Figure name={t('upstreams.spend')}>
          <Money nano={spend.costNano} />
        </Figure>
      </Group>
    </Stack>
  )
}

function Figure({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <Text size="xs" c="dimmed">
        {name}
      </Text>
      <Text size="sm" className="figures" component="div">
        {children}
      </Text>
    </div>
  )
}
