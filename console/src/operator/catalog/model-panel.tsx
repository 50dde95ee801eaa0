import { Alert, Badge, Group, Stack, Tabs, Text } from '@mantine/core'
import { IconArrowNarrowRight } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import type { ModelDetail } from '../../../../src/console-api/contract.ts'
import { CopyIcon } from '../../parts/copy-icon.tsx'
import { PageAnchor } from '../../parts/page-anchor.tsx'
import { SidePanel } from '../../parts/side-panel.tsx'
import { operatorModelQuery } from '../operator-queries.ts'
import { DetailLoader } from '../parts/detail-loader.tsx'
import { ModelForm } from './model-form.tsx'
import { PriceVersions } from './price-versions.tsx'

/** Everything about one model, or the form of a new one. */
export function ModelPanel(props: {
  /** Undefined: closed. */
  model: string | undefined
  /** The id that a new one begins with; undefined when none is being made. */
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
  return (
    <Stack>
      <Group gap={4} wrap="nowrap">
        <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {detail.displayName} · {detail.ownedBy}
        </Text>
        <CopyIcon value={detail.id} />
      </Group>
      <Tabs defaultValue="prices" keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="prices">{t('catalog.part.prices')}</Tabs.Tab>
          <Tabs.Tab value="routes">{t('catalog.part.routes')}</Tabs.Tab>
          <Tabs.Tab value="settings">{t('catalog.part.settings')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="prices">
          <PriceVersions model={detail} />
        </Tabs.Panel>
        <Tabs.Panel value="routes">
          <ModelRoutes detail={detail} />
        </Tabs.Panel>
        <Tabs.Panel value="settings">
          <ModelForm detail={detail} onSaved={onClose} onClose={onClose} />
        </Tabs.Panel>
      </Tabs>
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
