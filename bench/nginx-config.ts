export interface NginxPlan {
  readonly folder: string
  readonly port: number
  readonly upstreamPort: number
}

// One worker, keep-alive connections on both sides, no log and no buffering: the least work that a proxy can do for an
// event stream.
export function nginxConfig(plan: NginxPlan): string {
  return `daemon off;
worker_processes 1;
worker_rlimit_nofile 16384;
pid ${plan.folder}/nginx.pid;
error_log stderr;
events { worker_connections 8192; }
http {
  access_log off;
  keepalive_requests 1000000000;
  client_body_buffer_size 1m;
  client_body_temp_path ${plan.folder}/nginx-body;
  proxy_temp_path ${plan.folder}/nginx-proxy;
  fastcgi_temp_path ${plan.folder}/nginx-fastcgi;
  uwsgi_temp_path ${plan.folder}/nginx-uwsgi;
  scgi_temp_path ${plan.folder}/nginx-scgi;
  upstream minimal {
    server 127.0.0.1:${plan.upstreamPort};
    keepalive 256;
    keepalive_requests 1000000000;
  }
  server {
    listen 127.0.0.1:${plan.port} backlog=4096;
    location / {
      proxy_pass http://minimal;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering off;
    }
  }
}
`
}
