// What pages take from this folder. The API itself is #api.
export * from './areas';
export * from './passkeys';
export * from './presence';
export * from './service';
export * from './session';
export * from './sign-on';
export * from './step-up';
