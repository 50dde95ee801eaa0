import { Alert, Badge, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ModelDetail } from '../../../../src/console-api/contract.ts'
import { IconArrowNarrowRight } from '../../icons/icons.ts'
import { PanelTabs } from '../../parts/dialogs/panel-tabs.tsx'
import { SidePanel } from '../../parts/dialogs/side-panel.tsx'
import { PageAnchor } from '../../parts/page/page-anchor.tsx'
import { CopyIcon } from '../../parts/values/copy-icon.tsx'
import { operatorModelQuery } from '../operator-queries.ts'
import { DetailLoader } from '../parts/detail-loader.tsx'
import { ModelForm } from './model-form.tsx'
import { PriceVersions } from './price-versions.tsx'

export function ModelPanel(props: {
  model: string | undefined
  /** Initial id of the new model; undefined if no new model is being created. */
  newId: string | undefined
  onOpen: (id: string) => void
  onClose: () => void
}) {
  const { t } = useTranslation()
  const { model, newId, onClose } = props
  return (
    <SidePanel
      isOpen={newId !== undefined || model !== undefined}
      onClose={onClose}
      title={newId === undefined ? model : t('catalog.new')}
    >
      {newId !== undefined && (
        <ModelForm
          detail={undefined}
          firstId={newId}
          onSaved={(detail) => props.onOpen(detail.id)}
          onClose={onClose}
        />
      )}
      {newId === undefined && model !== undefined && (
        <DetailLoader key={model} query={operatorModelQuery(model)}>
          {(detail) => <Detail detail={detail} onClose={onClose} />}
        </DetailLoader>
      )}
    </SidePanel>
  )
}

function Detail({ detail, onClose }: { detail: ModelDetail; onClose: () => void }) {
  const { t } = useTranslation()
  const [part, setPart] = useState<'prices' | 'routes' | 'settings'>('prices')
  return (
    <Stack>
      <Group gap={4} wrap="nowrap">
        <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {detail.displayName} · {detail.ownedBy}
        </Text>
        <CopyIcon value={detail.id} />
      </Group>
      <PanelTabs
        open={part}
        onOpen={setPart}
        tabs={[
          {
            name: 'prices',
            label: t('catalog.part.prices'),
            content: <PriceVersions model={detail} />,
          },
          {
            name: 'routes',
            label: t('catalog.part.routes'),
            content: <ModelRoutes detail={detail} />,
          },
          {
            name: 'settings',
            label: t('catalog.part.settings'),
            content: <ModelForm detail={detail} onSaved={onClose} onClose={onClose} />,
          },
        ]}
      />
    </Stack>
  )
}

function ModelRoutes({ detail }: { detail: ModelDetail }) {
  const { t } = useTranslation()
  const groups = [...new Set(detail.routes.map(({ group }) => group))]
  const link = { view: 'routes', model: detail.id } as const
  return (
    <Stack gap="sm">
      {groups.length === 0 && <Alert color="orange">{t('catalog.unrouted')}</Alert>}
      {groups.map((group) => (
        <Group key={group} gap="xs">
          <PageAnchor to="/operate/upstreams" search={{ ...link, group }} size="sm">
            {group}
          </PageAnchor>
          <IconArrowNarrowRight size={14} stroke={1.4} aria-hidden />
          {detail.routes
            .filter((route) => route.group === group)
            .map((route) => (
              <Badge key={route.upstream} color="gray">
                {route.upstream}
              </Badge>
            ))}
        </Group>
      ))}
      <PageAnchor to="/operate/upstreams" search={link} size="sm">
        {t('catalog.toRoutes')}
      </PageAnchor>
    </Stack>
  )
}
