/** Where the admin API begins. By itself, so that whoever needs no more of it does not load the rest. */
export const adminRoot = '/admin/v1'
