import { Badge, Group, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import type { DataTableColumn } from 'mantine-datatable'
import { useTranslation } from 'react-i18next'
import type { RouteRow } from '../../../../src/console-api/contract.ts'
import { IconArrowNarrowRight, IconRoute } from '../../icons/icons.ts'
import { EmptyState } from '../../parts/lists/empty-state.tsx'
import { ListTable } from '../../parts/lists/list-table.tsx'
import { fromSmall } from '../../parts/lists/media.ts'
import { routesQuery } from '../operator-queries.ts'
import { RowName } from '../parts/row-name.tsx'
import { lanesOf } from './lanes.ts'

interface RoutesTableProps {
  readonly group: string | undefined
  readonly model: string | undefined
  readonly onOpen: (choice: { group: string; model: string }) => void
}

interface Way {
  readonly group: string
  readonly model: string
  readonly routes: readonly RouteRow[]
}

export function RoutesTable({ group, model, onOpen }: RoutesTableProps) {
  const { t } = useTranslation()
  const routes = useInfiniteQuery(routesQuery({ group, model }))
  const ways = routes.data && waysOf(routes.data.pages.flatMap((page) => page.routes))
  const columns: DataTableColumn<Way>[] = [
    {
      accessor: 'model',
      title: t('routes.model'),
      render: (way) => (
        <RowName
          name={way.model}
          note={way.group}
          label={t('routes.open', { model: way.model, group: way.group })}
          onOpen={() => onOpen(way)}
        />
      ),
    },
    {
      accessor: 'routes',
      title: t('routes.order'),
      render: (way) => <Order routes={way.routes} />,
    },
    {
      accessor: 'count',
      title: t('routes.upstreams'),
      textAlign: 'right',
      visibleMediaQuery: fromSmall,
      render: (way) => <span className="figures">{way.routes.length}</span>,
    },
  ]
  return (
    <ListTable
      rows={ways}
      columns={columns}
      idOf={(way) => `${way.group} ${way.model}`}
      onOpen={onOpen}
      query={routes}
      empty={
        <EmptyState
          icon={<IconRoute />}
          title={t('routes.emptyTitle')}
          text={t('routes.emptyText')}
        />
      }
    />
  )
}

function waysOf(routes: readonly RouteRow[]): Way[] {
  const ways = new Map<string, RouteRow[]>()
  for (const route of routes) {
    const name = JSON.stringify([route.group, route.model])
    const known = ways.get(name)
    if (known) known.push(route)
    else ways.set(name, [route])
  }
  return [...ways.values()].flatMap((way) => {
    const [first] = way
    return first ? [{ group: first.group, model: first.model, routes: way }] : []
  })
}

/** Upstreams of one priority side by side, with an arrow before the next priority. */
function Order({ routes }: { routes: readonly RouteRow[] }) {
  return (
    <Group gap={4}>
      {lanesOf(routes).map((lane, index) => (
        <Group key={lane[0]?.upstream} gap={4}>
          {index > 0 && <IconArrowNarrowRight size={14} stroke={1.4} aria-hidden />}
          {lane.map((route) => (
            <Badge key={route.upstream} color="gray" miw={0}>
              {route.upstream}
              {lane.length > 1 && (
                <Text span inherit c="dimmed">
                  {' '}
                  × {route.weight}
                </Text>
              )}
            </Badge>
          ))}
        </Group>
      ))}
    </Group>
  )
}
