<!doctype html><html><body><h1>404</h1></body></html>
