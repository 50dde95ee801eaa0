import {
  IconActivity,
  IconBell,
  IconChartDots3,
  IconHistory,
  IconLockAccess,
  IconRoute2,
  IconServer2,
  IconTags,
  IconUsers,
  IconUsersGroup,
} from '../icons/icons.ts'

/** Pages for administrators, in the order of the navigation. */
export const operatorPages = [
  { to: '/operate/upstreams', label: 'nav.upstreams', Icon: IconServer2 },
  { to: '/operate/models', label: 'nav.prices', Icon: IconTags },
  { to: '/operate/groups', label: 'nav.groups', Icon: IconUsersGroup },
  { to: '/operate/accounts', label: 'nav.people', Icon: IconUsers },
  { to: '/operate/tokens', label: 'nav.tokens', Icon: IconLockAccess },
  { to: '/operate/alerts', label: 'nav.alerts', Icon: IconBell },
  { to: '/operate/usage', label: 'nav.allUsage', Icon: IconChartDots3 },
  { to: '/operate/explain', label: 'nav.explain', Icon: IconRoute2 },
  { to: '/operate/audit', label: 'nav.audit', Icon: IconHistory },
  { to: '/operate/system', label: 'nav.system', Icon: IconActivity },
] as const
