// All that is generated from the document of the service's API: what can be asked of it, and of what shape its records are.
export * from './client/areas.gen';
export * from './client/types.gen';
