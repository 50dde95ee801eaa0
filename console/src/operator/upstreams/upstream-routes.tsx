import { ActionIcon, Badge, Button, Group, Paper, Stack, Table, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { RouteRow, UpstreamDetail } from '../../../../src/console-api/contract.ts'
import { call } from '../../api/client.ts'
import { formatDuration } from '../../format/times.ts'
import { IconAdjustments, IconPlus, IconTrash } from '../../icons/icons.ts'
import { useConfirm } from '../../parts/dialogs/use-confirm.tsx'
import { PageAnchor } from '../../parts/page/page-anchor.tsx'
import { useChange } from '../use-change.ts'
import { RouteForm } from './route-form.tsx'
import { useGroupIds } from './use-choices.ts'

/** The routes that lead to this upstream. */
export function UpstreamRoutes({ upstream }: { upstream: UpstreamDetail }) {
  const { t } = useTranslation()
  const groups = useGroupIds()
  const [editing, setEditing] = useState<RouteRow>()
  const save = useChange(
    (routes: readonly RouteRow[]) =>
      call('PUT /operate/routes', {
        query: { upstream: upstream.id },
        body: {
          routes,
        },
      }),
    {
      done: t('routes.saved'),
      onDone: () => setEditing(undefined),
      optimistic: (update, routes) => update.upstream(upstream.id, () => ({ routes })),
    },
  )
  const isSame = (one: RouteRow, other: RouteRow) =>
    one.group === other.group && one.model === other.model
  const { routes } = upstream
  const [ask, confirmation] = useConfirm()
  const without = (gone: RouteRow) => routes.filter((route) => !isSame(route, gone))
  const confirmRemoval = (route: RouteRow) =>
    ask({
      title: t('routes.removeTitle', { model: route.model, upstream: upstream.id }),
      text: t('routes.removeText', { group: route.group }),
      action: t('routes.remove'),
      onYes: () => save.mutate(without(route)),
    })
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        {t('routes.ofUpstream')}
      </Text>
      {routes.length === 0 ? (
        <Paper withBorder p="md">
          <Text size="sm">{t('routes.noneOfUpstream')}</Text>
        </Paper>
      ) : (
        <Table bg="var(--mantine-color-body)" withTableBorder fz="sm" verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('routes.model')}</Table.Th>
              <Table.Th w={88} aria-label={t('operate.actions')} />
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {routes.map((route) => (
              <RouteLine
                key={`${route.group} ${route.model}`}
                route={route}
                upstream={upstream}
                onEdit={() => setEditing(route)}
                onRemove={() => confirmRemoval(route)}
              />
            ))}
          </Table.Tbody>
        </Table>
      )}
      <Button
        variant="light"
        leftSection={<IconPlus size={16} />}
        style={{ alignSelf: 'flex-start' }}
        // A new route needs a group, so the groups must have loaded.
        disabled={groups.length === 0}
        onClick={() => setEditing(newRoute(upstream.id, groups))}
      >
        {t('routes.addModel')}
      </Button>
      <RouteForm
        route={editing}
        isNew={editing?.model === ''}
        choices={{ groups }}
        onClose={() => setEditing(undefined)}
        onSave={(route) => save.mutate([...without(route), route])}
      />
      {confirmation}
    </Stack>
  )
}

function newRoute(upstream: string, groups: readonly string[]): RouteRow {
  const group = groups.includes('default') ? 'default' : (groups[0] ?? '')
  return { group, model: '', upstream, upstreamModel: '', priority: 0, weight: 1, parameters: null }
}

function RouteLine(props: {
  route: RouteRow
  upstream: UpstreamDetail
  onEdit: () => void
  onRemove: () => void
}) {
  const { t } = useTranslation()
  const { route } = props
  const health = props.upstream.models.find((model) => model.upstreamModel === route.upstreamModel)
  return (
    <Table.Tr>
      <Table.Td style={{ overflowWrap: 'anywhere' }}>
        <PageAnchor
          to="/operate/upstreams"
          search={{ view: 'routes', group: route.group, model: route.model }}
          size="sm"
        >
          {route.model}
        </PageAnchor>
        <Text size="xs" c="dimmed">
          {[
            route.group,
            t('routes.placeText', { priority: route.priority, weight: route.weight }),
            route.upstreamModel !== route.model && t('routes.as', { name: route.upstreamModel }),
            health && health.firstTokenMs !== null && formatDuration(health.firstTokenMs),
          ]
            .filter(Boolean)
            .join(' · ')}
        </Text>
        {health && health.breaker !== 'closed' && (
          <Badge color="orange" mt={4}>
            {t(`upstreams.breaker.${health.breaker}`)}
          </Badge>
        )}
      </Table.Td>
      <Table.Td>
        <Group gap={2} wrap="nowrap" justify="flex-end">
          <ActionIcon
            variant={route.parameters === null ? 'subtle' : 'light'}
            color={route.parameters === null ? 'gray' : 'petrol'}
            aria-label={t('routes.edit', { name: route.model })}
            onClick={props.onEdit}
          >
            <IconAdjustments size={16} />
          </ActionIcon>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t('order.remove', { name: route.model })}
            onClick={props.onRemove}
          >
            <IconTrash size={16} />
          </ActionIcon>
        </Group>
      </Table.Td>
    </Table.Tr>
  )
}
